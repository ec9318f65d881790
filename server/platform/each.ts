/** So many in a row for the same reason, and it is not about them: the database or the bucket is away. */
const MOST_ALIKE = 10;
const MOST_TOLD = 20;

/** One after the other. What goes wrong with one holds up no other, and is told when all had their turn. */
export async function doEach<One>(
  all: Iterable<One> | AsyncIterable<One>,
  act: (one: One) => Promise<unknown>,
): Promise<void> {
  const faults: unknown[] = [];
  let reason: string | undefined;
  let alike = 0;
  for await (const one of all) {
    try {
      await act(one);
      reason = undefined;
    } catch (error) {
      if (faults.length < MOST_TOLD) faults.push(error);
      const { message } = error as Error;
      alike = message === reason ? alike + 1 : 1;
      reason = message;
      if (alike === MOST_ALIKE) break;
    }
  }
  if (faults.length > 0) throw new AggregateError(faults, faults.map((fault) => (fault as Error).message).join('; '));
}
