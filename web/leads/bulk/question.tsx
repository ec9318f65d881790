import { IconArrowBackUp, IconHandStop, IconSend, type TablerIcon } from '@tabler/icons-react';
import { useDebouncedValue, useFocusTrap, useMergedRef } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState, type FormEvent, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import type { BulkAct, BulkKind, BulkQuestion, NewBulkAct } from '../../../contract/bulk.ts';
import { ask, isAway, newKey, Refused } from '../../api.ts';
import { sayCount } from '../../counts.ts';
import { useConnected } from '../../live.ts';
import { sayRoughly, sayWhenWithin } from '../../times.ts';
import { Button } from '../../ui/button.tsx';
import { useIsStill } from '../../ui/dialog.tsx';
import { Fault, faultsOf, restOf } from '../../ui/form.tsx';
import { tellFailure } from '../../ui/notices.ts';
import type { useChosen } from './chosen.ts';
import { BLANK, leadOf, sayAct, sayShortly, useOffered, type Draft } from './draft.ts';
import { LABELS, Needed, needsChoice } from './needed.tsx';
import { ACTS, openActs, tellAct } from './queries.ts';
import '../../ui/float.css';
import './question.css';

type Props = { kind: BulkKind; chosen: ReturnType<typeof useChosen>; close: () => void };

/** Asks once before something is done to many leads: how many, and what follows. */
export function Question({ kind, chosen, close }: Props) {
  const title = useId();
  const [draft, setDraft] = useState<Draft>(BLANK);
  const offered = useOffered(chosen.lists);
  const isConnected = useConnected();
  const dialog = useRef<HTMLDivElement>(null);
  const own = useMergedRef(dialog, useFocusTrap());
  useEscape(dialog, close);
  const lead = leadOf(kind, draft);
  const body = JSON.stringify(lead && ({ kind, ...chosen.which, lead } satisfies NewBulkAct));
  const asking = useCounted(body);
  // However late it is sent again because its answer was lost, it is done once.
  const key = useRef(newKey());
  const isBody = useIsStill(body);
  /** Neither left meanwhile nor about other leads by now. */
  const isStill = (bulk: NewBulkAct) => isBody(JSON.stringify(bulk));
  const acting = useMutation({
    mutationFn: (bulk: NewBulkAct) => ask<BulkAct>('POST', '/bulk', { bulk }, key.current),
    onError: (error, bulk) => {
      if (!isStill(bulk)) tellFailure(error);
      else if (!isAway(error)) key.current = newKey();
    },
    onSuccess: (act, bulk) => {
      tellAct(act);
      if (!isStill(bulk)) return;
      // Where it is seen to go on, and to end.
      flushSync(() => {
        openActs(true);
        chosen.clear();
      });
      document.getElementById(ACTS)?.focus();
    },
  });
  // Rows can be ticked while the question is open: what came of one act, and the key it went under, are not those of another.
  useEffect(() => {
    acting.reset();
    key.current = newKey();
  }, [body]);
  const { counted } = asking;
  const isWaiting = acting.isPending || asking.isPending;
  const error = acting.error ?? asking.error ?? (isConnected || !isWaiting ? null : SILENT);
  const number = counted?.number ?? chosen.count.number;
  const leads = `${!counted && chosen.count.about ? 'about ' : ''}${sayCount(number, 'lead')}`;
  const isReady = counted !== undefined && counted.number > 0 && !error;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady && !acting.isPending) acting.mutate(counted.bulk);
  };
  const again = () => {
    if (acting.variables && !acting.isIdle) acting.mutate(acting.variables);
    else asking.again();
  };
  return (
    <div ref={own} className="bulk-question float" role="dialog" aria-labelledby={title}>
      <form className="stack" noValidate onSubmit={submit}>
        {needsChoice(kind, offered) && (
          <Needed
            kind={kind}
            draft={draft}
            change={(change) => setDraft({ ...draft, ...change })}
            offered={offered}
            number={number}
            faults={faultsOf(error, LABELS)}
          />
        )}
        <h2 id={title}>{sayAct(kind, leads, draft, offered)}</h2>
        {lead && !error && <Follows kind={kind} counted={counted} />}
        <Fault error={restOf(error, LABELS)} />
        <div className="bulk-question-foot">
          <span className="meta grow">{!error && counted && sayTaking(counted.seconds)}</span>
          <Button
            variant="default"
            data-autofocus={!needsChoice(kind, offered) || undefined}
            disabled={acting.isPending}
            onClick={close}
          >
            Cancel
          </Button>
          {error && isAway(error) ? (
            <Button onClick={again}>Try again</Button>
          ) : (
            <Button type="submit" aria-disabled={!isReady} loading={isWaiting}>
              {sayShortly(kind, leads, draft, offered)}
            </Button>
          )}
        </div>
      </form>
    </div>
  );
}

/** Nothing is heard of the service; what it was asked may still be answered. */
const SILENT = new Refused(0, { error: 'The service does not answer just now. What you chose is kept.' });

/** Counted once what is needed is chosen, and anew when that changes; while someone types not with every letter. */
function useCounted(body: string | undefined) {
  const [settled] = useDebouncedValue(body, 300);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['bulk question', settled],
    queryFn: async () => {
      const asked = JSON.parse(settled!) as NewBulkAct;
      return { bulk: asked, ...(await ask<BulkQuestion>('POST', '/bulk/question', { bulk: asked })) };
    },
    enabled: settled !== undefined,
    // Without a connection it fails, and can be tried again.
    networkMode: 'always',
    retry: false,
    staleTime: Infinity,
    gcTime: 0,
  });
  const isSettled = body === settled;
  return {
    counted: isSettled ? data : undefined,
    error: isSettled && !isFetching ? error : null,
    isPending: body !== undefined && (!isSettled || isFetching),
    again: () => void refetch(),
  };
}

function Follows({ kind, counted }: { kind: BulkKind; counted: BulkQuestion | undefined }) {
  if (!counted)
    return (
      <div className="bulk-follows loading" aria-busy aria-label="Counting">
        {Array.from({ length: 6 }, (_, line) => (
          <span key={line} />
        ))}
      </div>
    );
  const { tells, left_out, undo_until, number } = counted;
  if (number === 0) return <p className="said-before">No lead is left that this could be done to.</p>;
  const [stays, stay] = kind === 'migrate' ? ['stays here', 'stay here'] : ['stays as it is', 'stay as they are'];
  return (
    <ul className="bulk-follows">
      {tells.length > 0 ? (
        <Follow icon={IconSend} title={sayTells(tells)}>
          <span className="bulk-hosts">{hostsOf(tells)}</span>. Agents’ own go first.
        </Follow>
      ) : (
        <Follow icon={IconSend} title="Tells nobody">
          No subscriber hears of it.
        </Follow>
      )}
      {left_out.map(({ reason, number: out }) => (
        <Follow
          key={reason}
          icon={IconHandStop}
          title={`${out.toLocaleString()} ${out === 1 ? 'is' : 'are'} ${reason}`}
        >
          {out === 1 ? `It ${stays} and is` : `They ${stay} and are`} named at the end.
        </Follow>
      ))}
      <Follow icon={IconArrowBackUp} title={`Can be undone until ${sayWhenWithin(undo_until)}`}>
        Undoing tells nobody.
      </Follow>
    </ul>
  );
}

const Follow = ({ icon: Icon, title, children }: { icon: TablerIcon; title: string; children: ReactNode }) => (
  <li>
    <Icon size={16} stroke={1.75} aria-hidden />
    <div>
      <strong>{title}</strong>
      <p>{children}</p>
    </div>
  </li>
);

type Tells = BulkQuestion['tells'];

/** `Tells 2 subscribers 100,000 times`. */
function sayTells(tells: Tells): string {
  const times = tells.map((one) => one.times);
  const isSame = times.every((one) => one === times[0]);
  const all = isSame ? times[0]! : times.reduce((sum, one) => sum + one, 0);
  return `Tells ${sayCount(tells.length, 'subscriber')} ${all === 1 ? 'once' : sayCount(all, 'time')}${isSame ? '' : ' in all'}`;
}

const hostOf = (target: string): string => (URL.canParse(target) ? new URL(target).host : target);
const hostsOf = (tells: Tells): string =>
  new Intl.ListFormat('en').format([...new Set(tells.map(({ target }) => hostOf(target)))]);

/** `About 4 min, in the background`. */
const sayTaking = (seconds: number): string =>
  seconds <= 5 ? 'Takes a few seconds' : `About ${sayRoughly(seconds)}, in the background`;

/** Esc closes the question, wherever the focus is, unless something else is open that it is meant for. */
function useEscape(dialog: { current: HTMLElement | null }, close: () => void): void {
  const current = useRef(close);
  useEffect(() => {
    current.current = close;
  });
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return;
      const within = (event.target as Element).closest('[role="dialog"], [role="menu"], [aria-expanded="true"]');
      if (within && within !== dialog.current && !within.matches('.bulk-verb')) return;
      event.preventDefault();
      current.current();
    };
    // Before an open list of choices closes and can no longer be told from a closed one.
    addEventListener('keydown', hear, { capture: true });
    return () => removeEventListener('keydown', hear, { capture: true });
  }, [dialog]);
}
