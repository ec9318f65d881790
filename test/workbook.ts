import { inflateRawSync } from 'node:zlib';

/** A workbook as a spreadsheet reads it: its sheets by name, each with its rows of cells; numbers are numbers. */
export function readWorkbook(file: Buffer): Map<string, (string | number)[][]> {
  const parts = unzip(file);
  const targets = new Map(
    [...part(parts, 'xl/_rels/workbook.xml.rels').matchAll(/Id="(\w+)" [^>]*Target="([^"]+)"/g)].map(
      ([, id, target]) => [id!, `xl/${target}`],
    ),
  );
  return new Map(
    [...part(parts, 'xl/workbook.xml').matchAll(/<sheet name="([^"]+)" [^>]*r:id="(\w+)"/g)].map(([, name, id]) => [
      name!,
      readSheet(part(parts, targets.get(id!)!)),
    ]),
  );
}

const part = (parts: Map<string, Buffer>, name: string): string => {
  const found = parts.get(name);
  if (!found) throw new Error(`${name} is missing`);
  return found.toString();
};

/** By the directory at its end, as most programs do. */
export function unzip(file: Buffer): Map<string, Buffer> {
  const end = file.lastIndexOf(Buffer.from('PK\x05\x06'));
  const parts = new Map<string, Buffer>();
  let at = file.readUInt32LE(end + 16);
  for (let count = file.readUInt16LE(end + 10); count > 0; count -= 1) {
    const [packed, name, extra, comment] = [20, 28, 30, 32].map((offset, index) =>
      index === 0 ? file.readUInt32LE(at + offset) : file.readUInt16LE(at + offset),
    ) as [number, number, number, number];
    const local = file.readUInt32LE(at + 42);
    const begin = local + 30 + file.readUInt16LE(local + 26) + file.readUInt16LE(local + 28);
    parts.set(file.toString('utf8', at + 46, at + 46 + name), inflateRawSync(file.subarray(begin, begin + packed)));
    at += 46 + name + extra + comment;
  }
  return parts;
}

function readSheet(xml: string): (string | number)[][] {
  return [...xml.matchAll(/<row r="(\d+)">(.*?)<\/row>/gs)].map(([, , cells]) => {
    const row: (string | number)[] = [];
    for (const [, letters, told] of cells!.matchAll(/<c r="([A-Z]+)\d+"[^>]*>(.*?)<\/c>/gs)) {
      const at = letters!.split('').reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
      while (row.length < at) row.push('');
      row.push(readCell(told!));
    }
    return row;
  });
}

const readCell = (xml: string): string | number => {
  const [, number] = /^<v>(.*)<\/v>$/.exec(xml) ?? [];
  if (number !== undefined) return Number(number);
  return /<t[^>]*>(.*)<\/t>/s
    .exec(xml)![1]!
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/_x([\dA-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
};
