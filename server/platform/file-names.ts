/** How an answer says what its file is called: with the real name beside it where that has more than plain characters. */
export function nameFile(how: 'inline' | 'attachment', fileName: string): string {
  const plain = fileName.replace(/[^ -~]|["\\%]/gu, '_');
  const rest = plain === fileName ? '' : `; filename*=UTF-8''${encodeName(fileName)}`;
  return `${how}; filename="${plain}"${rest}`;
}

const encodeName = (name: string) =>
  encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
