import { hashKey } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { HowRead, Import, Plan } from '../../../contract/imports.ts';
import { ask, queries, Refused } from '../../api.ts';
import { saveSurely } from '../../ui/saving.ts';
import { importQuery, tellImport } from '../queries.ts';

type Change = { how_read?: HowRead; plan?: Plan };

const isOutdated = (error: unknown): boolean => error instanceof Refused && error.status === 409;

const isAsWanted = (now: Import, { how_read, plan }: Change): boolean =>
  (!plan || hashKey([now.plan]) === hashKey([plan])) && (!how_read || hashKey([now.how_read]) === hashKey([how_read]));

/** Saves what is chosen as it is chosen: one change after the other, the newest of those that wait in place of all of them. */
export function useImportChange(told: Import) {
  const { id } = told;
  const [wanted, setWanted] = useState<Change>();
  const [error, setError] = useState<Error | null>(null);
  const waiting = useRef<Change>(undefined);
  const isSending = useRef(false);
  const { queryKey } = importQuery(id);
  const readNow = () => queries.fetchQuery({ ...importQuery(id), staleTime: 0 });

  const sendAll = async () => {
    if (isSending.current) return;
    isSending.current = true;
    try {
      while (waiting.current) {
        const change = waiting.current;
        const { version } = queries.getQueryData<Import>(queryKey) ?? told;
        await tellImport(
          await saveSurely(() => ask<Import>('PATCH', `/imports/${id}`, { import: { version, ...change } })).catch(
            async (refused: unknown) => {
              const now = isOutdated(refused) ? await readNow() : undefined;
              // It was our own, sent twice because its answer was lost.
              if (now && isAsWanted(now, change)) return now;
              throw refused;
            },
          ),
        );
        if (waiting.current === change) waiting.current = undefined;
      }
      setError(null);
    } catch (refused) {
      waiting.current = undefined;
      setError(refused as Error);
    } finally {
      isSending.current = false;
      setWanted(undefined);
    }
  };

  const save = (change: Change) => {
    waiting.current = { ...waiting.current, ...change };
    setWanted(waiting.current);
    void sendAll();
  };

  /** What is chosen is added to what waits, which is newer than what is drawn. */
  const newest = <Part extends keyof Change>(part: Part) =>
    waiting.current?.[part] ?? (queries.getQueryData<Import>(queryKey) ?? told)[part];

  return {
    /** As it will be once all is saved. */
    now: { ...told, ...wanted },
    isSaving: wanted !== undefined,
    error,
    /** `part`: or made from the plan as it is by then. */
    changePlan: (part: Partial<Plan> | ((plan: Plan) => Partial<Plan>)) => {
      const plan = newest('plan');
      if (!plan) return;
      const { new_list, ...rest } = { ...plan, ...(typeof part === 'function' ? part(plan) : part) };
      // Only what is made has a name to be given.
      save({ plan: { ...rest, ...(new_list && rest.list_id === null && { new_list }) } });
    },
    changeHow: (part: Partial<HowRead>) => {
      const how = newest('how_read');
      if (how) save({ how_read: { ...how, ...part } });
    },
  };
}
export type Changing = ReturnType<typeof useImportChange>;
export type ChangePlan = Changing['changePlan'];
