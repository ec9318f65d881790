/** `1 call`, `2 calls`, `1,204 calls`. */
export const sayCount = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString()} ${count === 1 ? one : many}`;
