import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Lead } from '../../../contract/leads.ts';
import type { ListWithSettings } from '../../../contract/list-pages.ts';
import { useRight } from '../../session.ts';
import { IconButton } from '../../ui/button.tsx';
import { Empty, Failure, Loading } from '../../ui/parts.tsx';
import { sampleQuery } from './queries.ts';
import '../../ui/panel.css';
import './sample.css';

type Props = { list: ListWithSettings; title?: string; children: (lead: Lead) => ReactNode };

/** What agents will see, of a real lead; arrows go from one to the next. */
export function Sample({ list, title = 'As agents will see it', children }: Props) {
  const [place, setPlace] = useState(1);
  const reads = useRight('leads.read');
  const total = list.leads_count;
  const { data: lead, error, refetch } = useQuery({ ...sampleQuery(list.id, place), enabled: reads && total > 0 });
  return (
    <section className="panel flush sample" aria-label={title}>
      <div className="panel-head">
        <h2 className="grow">{title}</h2>
        {lead && (
          <>
            <span className="meta figures">
              <span className="wide-only">Lead </span>
              {place.toLocaleString()} of {total.toLocaleString()}
            </span>
            <IconButton label="The lead before" disabled={place <= 1} onClick={() => setPlace(place - 1)}>
              <IconChevronLeft size={16} stroke={1.75} aria-hidden />
            </IconButton>
            <IconButton label="The next lead" disabled={place >= total} onClick={() => setPlace(place + 1)}>
              <IconChevronRight size={16} stroke={1.75} aria-hidden />
            </IconButton>
          </>
        )}
      </div>
      {!reads ? (
        <p className="panel-note">Your role does not open leads, so there is none to show it with.</p>
      ) : total === 0 || lead === null ? (
        <Empty title="No lead yet.">Once the list has one, it shows here as agents will see it.</Empty>
      ) : lead ? (
        children(lead)
      ) : error ? (
        <Failure error={error} again={() => void refetch()} />
      ) : (
        <Loading />
      )}
    </section>
  );
}
