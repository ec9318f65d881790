import { useMutation, useQuery } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Call, Line, LineCall } from '../contract/calls.ts';
import { ask, doOnce, get, queries } from './api.ts';
import { asks } from './asks.ts';
import { useRight } from './session.ts';
import { tellFailure } from './ui/notices.ts';

const LINE = ['line'];

type Step = {
  method: 'POST' | 'PUT' | 'DELETE';
  path: string;
  body?: unknown;
  tell?: (error: unknown) => void;
  /** What the line is from then on, before it says so itself. */
  shows?: Partial<Line>;
  /** Said here: what is given to `mutate` is forgotten as soon as another step is taken. */
  done?: (() => void) | undefined;
};

/** The line of whoever is signed in, once for all pages; live events say when to look again, and a call under way is looked after anyway. */
export function useOwnLine() {
  const { data } = useQuery({
    queryKey: LINE,
    queryFn: () => get<Line>(asks.line),
    enabled: useRight('calls.make'),
    refetchInterval: ({ state }) => (state.data?.call || state.data?.ringing.length ? 1_000 : 15_000),
    refetchIntervalInBackground: true,
  });
  // Known before it is drawn, as the second click of two comes that soon.
  const dialling = useRef(false);
  const act = useMutation({
    mutationFn: ({ method, path, body }: Step) =>
      path === '/calls' ? doOnce<Call | undefined>(path, body) : ask<Call | undefined>(method, path, body),
    onSuccess: async (call, { path, shows, done }) => {
      // What was asked for shows at once; the line tells the rest.
      if (call && (path === '/calls' || path.endsWith('/answer'))) {
        setBegun(call.id);
        queries.setQueryData<Line>(LINE, (line) => line && { ...line, ...beginning(line, call) });
      }
      if (shows) queries.setQueryData<Line>(LINE, (line) => line && { ...line, ...shows });
      done?.();
      const looking = queries.invalidateQueries({ queryKey: LINE });
      if (call?.lead_id) void queries.invalidateQueries({ queryKey: ['lead', call.lead_id, 'calls'] });
      if (path === '/away') await looking;
    },
    onError: (error, { tell = tellFailure }) => tell(error),
    onSettled: (_call, _error, { path }) => {
      if (path === '/calls') dialling.current = false;
    },
  });
  const call = data?.call ?? null;
  const [begun, setBegun] = useState<number>();
  const [hungUp, setHungUp] = useState<number>();
  const heldSince = useSince((data?.on_hold || data?.on_hold_by_other) ?? false);
  const [softphones, setSoftphones] = useState(0);
  const isTalking = call !== null && call.id !== hungUp;
  const ringing = data?.ringing[0];
  return {
    call,
    /** Whether one is still talking: a line takes a moment to let go. */
    isTalking,
    /** Whether it was dialled or answered on this page. */
    isBegunHere: call !== null && call.id === begun,
    /** Whether it can be heard in the browser. */
    hasSound: data?.sound ?? false,
    recorded: data?.recorded ?? false,
    isRecordingPaused: data?.recording_paused ?? false,
    isOnHold: data?.on_hold ?? false,
    /** By the colleague at the other end, who alone can end that. */
    isOnHoldByOther: data?.on_hold_by_other ?? false,
    /** As far as this page knows. */
    heldSince,
    /** The call to whoever is asked before they get this one. */
    consultation: data?.consultation ?? null,
    /** The call to a colleague whom one passes this one on to, and what became of it. */
    passedOn: data?.passed_on ?? null,
    /** It rings at a colleague's, who gets it when they answer. */
    isPassing: data?.passed_on?.became === 'ringing' && !data.consultation,
    connectedAt: data?.connected_at ?? undefined,
    /** Nobody is rung who is in a call. */
    ringing: (!call && ringing) || null,
    /** The call before, while its lead waits for its outcome. */
    wrappingUp: data?.wrapping_up ?? null,
    away: data?.away ?? null,
    awayReasons: data?.away_reasons ?? [],
    isBusy: act.isPending,
    /** `tell`: how it is said of the lead that it could not be called. */
    dial: (leadId: number, column: string | undefined, tell: (error: unknown) => void, dialled?: () => void) => {
      if (dialling.current) return;
      // The second click may also come when they are being called already, and the desk is on its way.
      if (isTalking && call?.lead_id === leadId) {
        dialled?.();
        return;
      }
      dialling.current = true;
      const body = { call: { lead_id: leadId, ...(column && { column }) } };
      act.mutate({ method: 'POST', path: '/calls', body, tell, done: dialled });
    },
    answer: async (id: number) => {
      await act.mutateAsync({ method: 'POST', path: `/calls/${id}/answer` });
    },
    /** It rings at the others' from now on; a colleague hears that one does not come. */
    decline: (id: number) => act.mutate({ method: 'POST', path: `/calls/${id}/decline` }),
    hangUp: async (voicemail = false) => {
      if (!call) return;
      await act.mutateAsync({ method: 'POST', path: `/calls/${call.id}/hang_up`, body: { voicemail } });
      setHungUp(call.id);
    },
    hold: (on: boolean) =>
      call && act.mutate({ method: 'POST', path: `/calls/${call.id}/hold`, body: { on }, shows: { on_hold: on } }),
    pauseRecording: (paused: boolean) =>
      call &&
      act.mutate({
        method: 'POST',
        path: `/calls/${call.id}/recording`,
        body: { paused },
        shows: { recording_paused: paused },
      }),
    press: (digits: string) => call && pressInOrder(call.id, digits),
    /** `asked`: one talks to whoever is there first. */
    passOn: async (to: Passed, asked: boolean) => {
      if (!call) return;
      const path = `/calls/${call.id}/transfer`;
      await act.mutateAsync({ method: 'POST', path, body: { ...to, asked }, tell: () => undefined });
    },
    /** Who was asked gets the call. */
    connectThem: () => call && act.mutate({ method: 'POST', path: `/calls/${call.id}/transfer/complete` }),
    /** Who was asked, or is rung, does not get it. */
    goBack: () => {
      const id = (data?.consultation ?? data?.passed_on)?.id;
      const shows = { consultation: null, passed_on: null };
      if (id) act.mutate({ method: 'POST', path: `/calls/${id}/hang_up`, shows });
    },
    goAway: (reason: string) => act.mutate({ method: 'PUT', path: '/away', body: { reason } }),
    comeBack: () => act.mutate({ method: 'DELETE', path: '/away' }),
    /** How many softphones show all this already. */
    softphones,
    setSoftphones,
  };
}

/** When it began to be so. */
function useSince(is: boolean): number | undefined {
  const [since, setSince] = useState<number>();
  useEffect(() => setSince(is ? Date.now() : undefined), [is]);
  return since;
}

/** Pressed while others are on their way; they go together, as they were pressed. */
let pressed = '';
let pressing = Promise.resolve();

function pressInOrder(callId: number, digits: string): void {
  pressed += digits;
  pressing = pressing.then(async () => {
    if (pressed === '') return;
    const all = pressed;
    pressed = '';
    await ask('POST', `/calls/${callId}/digits`, { digits: all }).catch(tellFailure);
  });
}

/** What was asked for a moment ago, until the line tells of it. */
const beginning = (line: Line, call: Call): Partial<Line> => ({
  call: {
    ...(line.ringing.find(({ id }) => id === call.id) ?? { number: call.destination_number, asks: false }),
    ...call,
    ended_by: null,
  },
  connected_at: null,
  on_hold: false,
  on_hold_by_other: false,
  recording_paused: false,
  consultation: null,
  passed_on: null,
  wrapping_up: null,
});

/** To whom a call is passed on. */
export type Passed = { number: string } | { user_id: number };

export type LineState = ReturnType<typeof useOwnLine>;

const LineContext = createContext<LineState | null>(null);
export const LineProvider = LineContext.Provider;

/** The call one is in, and those that ring. */
export const useLine = (): LineState => useContext(LineContext)!;

/** Where a softphone is, the frame need not show the call as well. */
export function useSoftphoneHere(): void {
  const { setSoftphones } = useLine();
  // Before anybody can press a key: neither shows it twice for a moment, nor is one that was there gone.
  useLayoutEffect(() => {
    setSoftphones((count) => count + 1);
    return () => setSoftphones((count) => count - 1);
  }, [setSoftphones]);
}

/** In words, for the one who is at this end. */
export function sayDoing({ call, isTalking, ringing, wrappingUp, away }: LineState): string {
  if (call && isTalking)
    return call.state === 'active' ? 'On a call' : call.direction === 'inbound' ? 'Connecting' : 'Calling';
  if (ringing) return 'Ringing';
  if (wrappingUp) return 'Wrapping up';
  return away ? away.reason : 'Ready';
}

/** How a call stands that goes on. */
export const sayCall = ({ state, direction, number }: LineCall): string =>
  state === 'active' ? 'Connected' : direction === 'inbound' ? 'Connecting' : `Ringing ${number}`;

/** Who ended it, to the one whose call it was. */
export const sayEnder = ({ ended_by }: Pick<LineCall, 'ended_by'>): string | undefined =>
  ended_by === null
    ? undefined
    : {
        agent: 'You hung up',
        other: 'They hung up',
        line: 'The line failed',
        nobody: 'Your page was away, so it ended',
      }[ended_by];
