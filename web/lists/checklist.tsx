import { IconCircleCheck, IconCircleDashed } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ListOverview } from '../../contract/list-pages.ts';
import { paths } from '../../contract/paths.ts';
import { ImportButton } from '../importing.tsx';
import { keepChosen } from '../lists.ts';
import { useRight } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Panel } from '../ui/panel.tsx';
import { fieldsQuery, sayLeads } from './queries.ts';
import './checklist.css';

type Step = { done: boolean; name: string; said: ReactNode; act?: ReactNode };

/** What is still missing before someone can call. It goes when nothing is. */
export function Checklist({ overview, add }: { overview: ListOverview; add: () => void }) {
  const { id, leads_count, people_count, counts } = overview;
  const fields = useQuery(fieldsQuery(id)).data?.fields;
  const assigns = useRight('users.assign');
  const writes = useRight('lists.write');
  const addsLeads = useRight('leads.write');
  const works = useRight('queue.work');
  if (!fields) return null;
  const hasPhone = fields.some(({ kind, visible }) => kind === 'phone' && visible);
  const isCalled = leads_count > counts.new;
  // Whoever set it up may call alone.
  const hasPeople = people_count > 0 || isCalled;
  if (hasPhone && hasPeople && leads_count > 0) return null;
  const steps: Step[] = [
    {
      done: hasPhone,
      name: 'Fields',
      said: hasPhone
        ? 'What is known of each lead. Look through them before the first one is there.'
        : 'It has no phone field, so nobody can be called.',
      act: writes && (
        <Link to={paths.listSettings(id, 'fields')} className="button default">
          {hasPhone ? 'Look at the fields' : 'Add a phone field'}
        </Link>
      ),
    },
    {
      done: leads_count > 0,
      name: 'Leads',
      said:
        leads_count > 0 ? (
          sayLeads(leads_count)
        ) : (
          <>
            Upload a file, write the first ones by hand, or let a program send them:{' '}
            <a href={paths.reference}>how that is done</a>.
          </>
        ),
      act: (
        <>
          {leads_count === 0 && <ImportButton listId={id}>Upload a file</ImportButton>}
          {addsLeads && (
            <Button variant="default" onClick={add}>
              {leads_count > 0 ? 'Add another lead' : 'Add the first lead'}
            </Button>
          )}
        </>
      ),
    },
    {
      done: hasPeople,
      name: 'People',
      said: hasPeople
        ? 'There are some who call.'
        : 'Nobody works it yet. Give it to those who are here, or invite others.',
      act: assigns && (
        <Link to={paths.listSettings(id, 'people')} className="button default">
          Add people
        </Link>
      ),
    },
    {
      done: isCalled,
      name: 'Call',
      said: 'Leads come to the desk one after the other.',
      act: works && leads_count > 0 && (
        <Link to={paths.work} className="button default" onClick={() => keepChosen(id)}>
          Go to the desk
        </Link>
      ),
    },
  ];
  return (
    <Panel title="Before the first call" flush>
      <ol className="checklist">
        {steps.map(({ done, name, said, act }) => {
          const Icon = done ? IconCircleCheck : IconCircleDashed;
          return (
            <li key={name} className={done ? 'done' : ''}>
              <Icon size={18} stroke={1.75} role="img" aria-label={done ? 'Done' : 'To do'} />
              <div className="grow">
                <strong className="strong">{name}</strong>
                <p className="meta">{said}</p>
              </div>
              {act}
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}
