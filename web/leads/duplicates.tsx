import { IconChevronLeft, IconChevronRight, IconCopy } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { MOST_DUPLICATES } from '../../contract/duplicates.ts';
import type { Desk } from '../../contract/queue.ts';
import { Refused } from '../api.ts';
import { IconButton } from '../ui/button.tsx';
import { Failure, Loading } from '../ui/parts.tsx';
import { sayAlike, sharesPlaceholder } from './alike.ts';
import { Pair } from './pair.tsx';
import { leadQuery, type Lead } from './queries.ts';
import '../ui/panel.css';
import './duplicates.css';

type Columns = Desk['columns'];

/** The leads that look the same, one at a time. Nothing at all where there are none. */
export function Duplicates({ lead, columns }: { lead: Lead; columns: Columns }) {
  const [place, setPlace] = useState(0);
  const ids = lead.detected_duplicates;
  const shown = Math.min(place, ids.length - 1);
  const { data: other, error, refetch } = useQuery({ ...leadQuery(ids[shown] ?? 0), enabled: ids.length > 0 });
  if (ids.length === 0) return null;
  if (sharesPlaceholder(lead)) {
    return (
      <section className="panel duplicates" aria-label="Possible duplicate">
        <p className="panel-note">
          {MOST_DUPLICATES} leads and more share a value with this one. It seems to be a placeholder, such as 0000000.
        </p>
      </section>
    );
  }
  const isHidden = error instanceof Refused && error.status === 404;
  return (
    <section className="panel duplicates" aria-label="Possible duplicate">
      <div className="panel-head">
        <IconCopy size={16} stroke={1.75} aria-hidden className="dim" />
        <h2>Possible duplicate</h2>
        {other && <span className="dim shared">{sayAlike(columns, lead, other)}</span>}
        <span className="grow" />
        {ids.length > 1 && (
          <IconButton label="Previous duplicate" disabled={shown === 0} onClick={() => setPlace(shown - 1)}>
            <IconChevronLeft size={16} stroke={1.75} />
          </IconButton>
        )}
        <span className="dim figures">
          {shown + 1} of {ids.length}
        </span>
        {ids.length > 1 && (
          <IconButton label="Next duplicate" disabled={shown === ids.length - 1} onClick={() => setPlace(shown + 1)}>
            <IconChevronRight size={16} stroke={1.75} />
          </IconButton>
        )}
      </div>
      {isHidden ? (
        <p className="panel-note">It is in a list that is not yours. A data manager can compare the two.</p>
      ) : (
        error && <Failure error={error} again={() => void refetch()} />
      )}
      {!error && !other && <Loading rows={5} />}
      {other && <Pair key={other.id} lead={lead} other={other} columns={columns} />}
    </section>
  );
}
