import type { ImportCounts, Plan } from '../../contract/imports.ts';

export type Forecast = {
  made: number;
  /** Rows that are the same as a lead, or as a row before them, where that counts. */
  duplicates: number;
  updated: number;
  left_out: number;
  faulty: number;
};

/** What becomes of the rows by what was chosen; the service counts each kind once, whatever is chosen. */
export function forecast(
  counts: ImportCounts,
  { duplicates: choice, within }: Pick<Plan, 'duplicates' | 'within'>,
): Forecast {
  const { fresh, here, elsewhere, elsewhere_twice, twice, faulty } = counts;
  const duplicates = here + twice + (within === 'account' ? elsewhere : elsewhere_twice);
  const sound = fresh + here + elsewhere + twice;
  return {
    made: choice === 'add' ? sound : sound - duplicates,
    duplicates,
    updated: choice === 'fill' || choice === 'overwrite' ? duplicates : 0,
    left_out: choice === 'skip' ? duplicates : 0,
    faulty,
  };
}

/** `Import 398,270 leads`, `Import 398,270 leads, update 11,906`. */
export function sayImport({ made, updated }: Pick<Forecast, 'made' | 'updated'>): string {
  const leads = (count: number) => `${count.toLocaleString()} ${count === 1 ? 'lead' : 'leads'}`;
  if (updated === 0) return `Import ${leads(made)}`;
  if (made === 0) return `Update ${leads(updated)}`;
  return `Import ${leads(made)}, update ${updated.toLocaleString()}`;
}
