import { IconArrowBackUp, IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useId, useState, type ReactNode } from 'react';
import type { BulkAct } from '../../../contract/bulk.ts';
import { nameOf } from '../../../contract/names.ts';
import { ask } from '../../api.ts';
import { sayCount } from '../../counts.ts';
import { useSession } from '../../session.ts';
import { daysFromToday, sayDay, sayRoughly, sayWhen } from '../../times.ts';
import { Button, TextButton } from '../../ui/button.tsx';
import { Fault } from '../../ui/form.tsx';
import { Time } from '../../ui/parts.tsx';
import { isUnderWay, tellAct } from './queries.ts';
import { useMay, VERBS } from './verbs.ts';
import './act.css';

type Props = { act: BulkAct; undoing: BulkAct | undefined };

/** One act: how far it has come, or what came of it. */
export function Act({ act, undoing }: Props) {
  const { kind, by, created_at } = act;
  const Icon = kind === 'undo' ? IconArrowBackUp : VERBS[kind].icon;
  const running = [undoing, act].find((one) => one && isUnderWay(one));
  const { user } = useSession();
  return (
    <>
      <Icon size={16} stroke={1.75} aria-hidden />
      <div className="act-head">
        <h3 className={undoing ? 'dim' : undefined}>{sayTitle(act, undoing)}</h3>
        <span className="meta figures">
          {running ? sayPercent(running) : <Time at={created_at} say={sayShortly} />}
        </span>
      </div>
      <div className="act-body">
        {running ? <Running act={running} /> : undoing ? <Undone act={act} undoing={undoing} /> : <Ended act={act} />}
        {by !== nameOf(user) && <p className="meta">{by}</p>}
      </div>
    </>
  );
}

/** `Moving 41,200 to Southern depots`, `Moved to Southern depots`, `Moved to Southern depots, then undone`. */
function sayTitle(act: BulkAct, undoing: BulkAct | undefined): string {
  const { kind, says, gathering, total } = act;
  if (undoing) return `${says}, ${isUnderWay(undoing) ? 'now being' : 'then'} undone`;
  const [past, present] = (kind !== 'undo' && isUnderWay(act) && VERBS[kind].doing) || ['', ''];
  return says.replace(past, gathering || past === '' ? present : `${present} ${say(total)}`);
}

const sayShortly = (at: string): string => {
  const days = daysFromToday(at);
  return days === 0 || days < -1 ? sayWhen(at) : sayDay(at);
};

const percentOf = ({ done, total }: BulkAct): number => (total === 0 ? 0 : Math.floor((100 * done) / total));
const sayPercent = (act: BulkAct): string => (act.gathering ? '' : `${percentOf(act)} %`);
const say = (number: number): string => number.toLocaleString();

/** How many it was done to. */
const keptOf = ({ done, refusals }: BulkAct): number => done - refusals;

function Running({ act }: { act: BulkAct }) {
  const { id, kind, gathering, done } = act;
  const stopping = useChange(() => ask<BulkAct>('POST', `/bulk/${id}/stop`));
  const stop = done === 0 || kind === 'undo' ? 'Stop' : `Stop, keep ${say(keptOf(act))}`;
  return (
    <>
      <div
        className="act-bar"
        role="progressbar"
        aria-label={act.says}
        {...(gathering ? {} : { 'aria-valuenow': percentOf(act), 'aria-valuemin': 0, 'aria-valuemax': 100 })}
      >
        <span style={{ width: `${gathering ? 0 : percentOf(act)}%` }} />
      </div>
      <div className="act-line">
        <p className="meta figures grow">
          {sayProgress(act)}
          <span className="block">{sayLeft(act)}You can leave.</span>
        </p>
        <Button
          variant="default"
          size="xs"
          aria-label={`${stop}: ${act.says}`}
          loading={stopping.isPending}
          onClick={() => stopping.mutate()}
        >
          {stop}
        </Button>
      </div>
      <Fault error={stopping.error} />
    </>
  );
}

/** `23,896 done, 410 a second`. */
function sayProgress({ gathering, total, done, a_second }: BulkAct): string {
  if (gathering) return `Gathering leads, ${say(total)} so far`;
  if (done === 0) return 'Waits for its turn';
  return `${say(done)} done${a_second > 0 ? `, ${say(a_second)} a second` : ''}`;
}

/** `42 s left. `, where that can be known. */
const sayLeft = ({ gathering, total, done, a_second }: BulkAct): string =>
  gathering || done === 0 || a_second === 0 ? '' : `${sayRoughly(Math.ceil((total - done) / a_second))} left. `;

const Ended = ({ act }: { act: BulkAct }) => (
  <Why act={act} says={sayEnded(act)} see="see why">
    {useUndoable(act) && <Undo act={act} words="Undo" />}
  </Why>
);

function useUndoable({ kind, undo_until }: BulkAct): boolean {
  const may = useMay();
  return undo_until !== null && kind !== 'undo' && may(kind);
}

function Undo({ act: { id, says, undo_until }, words }: { act: BulkAct; words: string }) {
  const undo = useChange(() => ask<BulkAct>('POST', `/bulk/${id}/undo`));
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconArrowBackUp size={16} stroke={1.75} aria-hidden />}
        aria-label={`${words}: ${says}`}
        loading={undo.isPending}
        onClick={() => undo.mutate()}
      >
        {words}
      </Button>
      <span className="meta grow">
        until <Time at={undo_until!} />
      </span>
      <Fault error={undo.error} />
    </>
  );
}

/** `99,812 moved, 188 not`, `All 100,014 changed`. */
function sayEnded(act: BulkAct): string {
  const { kind, total, done, refusals, reasons, stopped_at } = act;
  const word = kind === 'undo' ? 'back' : VERBS[kind].done;
  const kept = keptOf(act);
  // Why the leads could not be found.
  if (reasons[0] && refusals === 0) return `Not done. ${reasons[0].reason}`;
  if (stopped_at !== null && done === 0) return 'Stopped before anything was done';
  if (total === 0) return 'There was no lead to do it to';
  const stopped = stopped_at !== null && done < total ? `Stopped: ` : '';
  const rest = stopped ? `, ${say(total - done)} left as they were` : '';
  if (refusals === 0 && !stopped) return kept === 1 ? `1 ${word}` : `All ${say(kept)} ${word}`;
  return `${stopped}${say(kept)} ${word}${rest}${refusals > 0 ? `, ${say(refusals)} not` : ''}`;
}

/** `2,190 of 2,204 are back: see the 14`. */
const Undone = ({ act, undoing }: { act: BulkAct; undoing: BulkAct }) => (
  <Why
    act={undoing}
    says={
      undoing.refusals === 0 && undoing.done === undoing.total
        ? `All ${say(undoing.total)} are back`
        : `${say(keptOf(undoing))} of ${say(undoing.total)} are back`
    }
    see={`see the ${say(undoing.refusals)}`}
  >
    {useUndoable(act) && <Undo act={act} words="Undo the rest" />}
  </Why>
);

type WhyProps = { act: BulkAct; says: string; see: string; children?: ReactNode };

/** What came of an act; those with which nothing was done open under it, counted by reason, with their file. */
function Why({ act: { id, refusals, reasons }, says, see, children }: WhyProps) {
  const [isOpen, setOpen] = useState(false);
  const list = useId();
  return (
    <>
      <p>
        {says}
        {refusals > 0 && (
          <>
            :{' '}
            <TextButton aria-expanded={isOpen} aria-controls={list} onClick={() => setOpen(!isOpen)}>
              {see}
            </TextButton>
          </>
        )}
      </p>
      {isOpen && (
        <ul id={list} className="act-reasons">
          {reasons.map(({ reason, number }) => (
            <li key={reason}>
              <strong className="figures">{say(number)}</strong>
              <span>{reason}</span>
            </li>
          ))}
        </ul>
      )}
      {(children || isOpen) && (
        <div className="act-line">
          {children}
          {isOpen && (
            <a className="act-file" href={`/app/bulk/${id}/refused`} download>
              <IconDownload size={16} stroke={1.75} aria-hidden />
              <span>
                The {say(refusals)}
                <span className="unseen"> as a file: {sayCount(refusals, 'lead')}</span>
              </span>
            </a>
          )}
        </div>
      )}
    </>
  );
}

/** Stops or undoes. */
const useChange = (change: () => Promise<BulkAct>) => useMutation({ mutationFn: change, onSuccess: tellAct });
