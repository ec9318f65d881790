import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Static } from 'typebox';
import type { Call, Line } from '../../contract/calls.ts';
import { ask, get, queries } from '../api.ts';
import { asks } from '../asks.ts';
import { tellFailure } from '../ui/notices.ts';

const LINE = ['line'];

/** The call one is in, and those that ring; live events say when to look again, and a call under way is looked after anyway. */
export function useLine() {
  const { data } = useQuery({
    queryKey: LINE,
    queryFn: () => get<Static<typeof Line>>(asks.line),
    refetchInterval: ({ state }) => (state.data?.call || state.data?.ringing.length ? 1_000 : 15_000),
    refetchIntervalInBackground: true,
  });
  const act = useMutation({
    mutationFn: ({ path, body }: { path: string; body?: unknown }) => ask<Call | undefined>('POST', path, body),
    onSuccess: (call, { path }) => {
      // What was asked for shows at once; the line tells the rest.
      if (call && (path === '/calls' || path.endsWith('/answer')))
        queries.setQueryData<Static<typeof Line>>(LINE, (line) => ({
          call,
          recorded: line?.recorded ?? false,
          connected_at: null,
          ringing: line?.ringing ?? [],
        }));
      void queries.invalidateQueries({ queryKey: LINE });
      if (call?.lead_id) void queries.invalidateQueries({ queryKey: ['lead', call.lead_id, 'calls'] });
    },
    onError: tellFailure,
  });
  const call = data?.call ?? null;
  const [hungUp, setHungUp] = useState<number>();
  return {
    call,
    /** Whether one is still talking: a line takes a moment to let go. */
    isTalking: call !== null && call.id !== hungUp,
    recorded: data?.recorded ?? false,
    connectedAt: data?.connected_at ?? undefined,
    ringing: data?.ringing[0] ?? null,
    isBusy: act.isPending,
    dial: (leadId: number, column?: string) =>
      act.mutate({ path: '/calls', body: { call: { lead_id: leadId, ...(column && { column }) } } }),
    answer: (id: number) => act.mutate({ path: `/calls/${id}/answer` }),
    decline: (id: number) => act.mutate({ path: `/calls/${id}/decline` }),
    hangUp: async (voicemail = false) => {
      if (!call) return;
      await act.mutateAsync({ path: `/calls/${call.id}/hang_up`, body: { voicemail } });
      setHungUp(call.id);
    },
  };
}

export type LineState = ReturnType<typeof useLine>;
