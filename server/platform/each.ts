/** So many in a row, and it is not about them: the database or the bucket is away. */
const MOST_IN_A_ROW = 10;
const MOST_TOLD = 20;

/** One after the other. What goes wrong with one holds up no other, and is told when all had their turn. */
export async function doEach<One>(
  all: Iterable<One> | AsyncIterable<One>,
  act: (one: One) => Promise<unknown>,
): Promise<void> {
  const faults: unknown[] = [];
  let inARow = 0;
  for await (const one of all) {
    try {
      await act(one);
      inARow = 0;
    } catch (error) {
      if (faults.length < MOST_TOLD) faults.push(error);
      inARow += 1;
      if (inARow === MOST_IN_A_ROW) break;
    }
  }
  if (faults.length > 0) throw new AggregateError(faults, faults.map((fault) => (fault as Error).message).join('; '));
}
