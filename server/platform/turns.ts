type Waiting = { enter: () => void; refuse: (error: Error) => void };

/**
 * A few at a time; the others wait in lines, one for each place they come from, and the lines take turns: whoever sends many waits behind
 * themselves. When all places in the lines are taken, one who comes from a shorter line gets the last place of the longest.
 */
export function createTurns(atOnce: number, most: number, tooMany: () => Error) {
  const lines = new Map<string, Waiting[]>();
  let free = atOnce;
  let waiting = 0;

  function makeRoom(from: string): void {
    const own = lines.get(from)?.length ?? 0;
    const longest = [...lines.values()].reduce((a, b) => (b.length > a.length ? b : a));
    if (own + 1 >= longest.length) throw tooMany();
    longest.pop()!.refuse(tooMany());
    waiting -= 1;
  }

  function letNextIn(): void {
    const [next] = lines;
    if (!next) {
      free += 1;
      return;
    }
    const [from, line] = next;
    lines.delete(from);
    const { enter } = line.shift()!;
    if (line.length > 0) lines.set(from, line);
    waiting -= 1;
    enter();
  }

  return async <T>(from: string, act: () => Promise<T>): Promise<T> => {
    if (free > 0) free -= 1;
    else {
      if (waiting >= most) makeRoom(from);
      await new Promise<void>((enter, refuse) => {
        lines.set(from, [...(lines.get(from) ?? []), { enter, refuse }]);
        waiting += 1;
      });
    }
    try {
      return await act();
    } finally {
      letNextIn();
    }
  };
}
