import { NativeSelect } from '@mantine/core';
import {
  IconArrowsSort,
  IconCopy,
  IconCursorText,
  IconFileText,
  IconPhoneCall,
  IconTags,
  IconUsers,
  type TablerIcon,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import type { ListWithSettings } from '../../../contract/list-pages.ts';
import { paths } from '../../../contract/paths.ts';
import { Missing } from '../../ui/missing.tsx';
import { useListJobs } from '../jobs.ts';
import { isRunning, listQuery } from '../queries.ts';
import { CallsPart } from './calls-part.tsx';
import { DuplicatesPart } from './duplicates-part.tsx';
import { FieldsPart } from './fields-part.tsx';
import { OutcomesPart } from './outcomes-part.tsx';
import { PeoplePart } from './people-part.tsx';
import { QueuePart } from './queue-part.tsx';
import { ScriptPart } from './script-part.tsx';
import './settings.css';

type Part = { word: string; icon: TablerIcon; Shown: ComponentType<{ list: ListWithSettings }> };

const PARTS: Record<string, Part> = {
  fields: { word: 'Fields', icon: IconCursorText, Shown: FieldsPart },
  outcomes: { word: 'Outcomes', icon: IconTags, Shown: OutcomesPart },
  script: { word: 'Script', icon: IconFileText, Shown: ScriptPart },
  queue: { word: 'Queue and claims', icon: IconArrowsSort, Shown: QueuePart },
  people: { word: 'People', icon: IconUsers, Shown: PeoplePart },
  duplicates: { word: 'Duplicates', icon: IconCopy, Shown: DuplicatesPart },
  calls: { word: 'Caller ID and recording', icon: IconPhoneCall, Shown: CallsPart },
};

/** What can be changed about a list, a part at a time: what there is, the one that is open, and what agents will see of it. */
export function Settings({ list: given, part }: { list: ListWithSettings; part: string }) {
  const works = (jobs: ListWithSettings['jobs']) => jobs.some(isRunning);
  // The live stream tells how jobs go; this is for when it is silent.
  const { data = given } = useQuery({
    ...listQuery(given.id),
    refetchInterval: ({ state }) => (state.data && works(state.data.jobs) ? 3_000 : false),
  });
  const list = { ...data, jobs: useListJobs(data) };
  const open = PARTS[part];
  if (!open) return <Missing />;
  const { Shown } = open;
  return (
    <div className="list-settings">
      <Parts listId={list.id} part={part} />
      <Shown key={`${list.id} ${part}`} list={list} />
    </div>
  );
}

function Parts({ listId, part }: { listId: number; part: string }) {
  const navigate = useNavigate();
  return (
    <>
      <nav className="settings-parts" aria-label="Settings">
        {Object.entries(PARTS).map(([name, { word, icon: Icon }]) => (
          <Link key={name} to={paths.listSettings(listId, name)} className="settings-part">
            <Icon size={18} stroke={1.75} aria-hidden />
            {word}
          </Link>
        ))}
      </nav>
      <NativeSelect
        className="parts-choice"
        aria-label="Settings"
        data={Object.entries(PARTS).map(([value, { word }]) => ({ value, label: word }))}
        value={part}
        onChange={(event) => void navigate({ to: paths.listSettings(listId, event.currentTarget.value) })}
      />
    </>
  );
}
