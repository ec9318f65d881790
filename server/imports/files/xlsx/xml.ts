import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { openDecoder } from '../decode.ts';
import { damaged } from './zip.ts';

/** Names come without what stands for their namespace. */
export type Handlers = {
  open?: (name: string, attributes: Record<string, string>) => void;
  text?: (text: string) => void;
  close?: (name: string) => void;
};

const DEEPEST = 100;
const LONGEST_TOKEN = 2 * 1024 * 1024;

/**
 * Walks through a part of a workbook and yields after each piece, so that whoever has enough can stop. Entities that a file declares itself do
 * not exist here, and neither depth nor length of anything is without end: it takes no more memory than its longest cell.
 */
export async function* walkXml(pieces: AsyncIterable<Buffer>, handlers: Handlers): AsyncGenerator<void> {
  const parser = new SaxesParser({ xmlns: false, position: false });
  const decode = openDecoder('utf-8');
  let depth = 0;
  let fed = 0;
  let heardAt = 0;
  const { open, text, close } = handlers;
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('doctype', () => {
    throw new Error('no part of a workbook declares a document type');
  });
  parser.on('opentag', ({ name, attributes }: SaxesTagPlain) => {
    heardAt = fed;
    if ((depth += 1) > DEEPEST) throw new Error('nested too deeply');
    open?.(localName(name), attributes);
  });
  parser.on('closetag', ({ name }: SaxesTagPlain) => {
    depth -= 1;
    close?.(localName(name));
  });
  if (text) {
    parser.on('text', text);
    parser.on('cdata', text);
  }
  try {
    for await (const piece of pieces) {
      fed += piece.length;
      const xml = decode(piece, false);
      if (!xml.isWellFormed()) throw new Error('it is not UTF-8');
      parser.write(xml);
      if (fed - heardAt > LONGEST_TOKEN) throw new Error('something in it has no end');
      yield;
    }
    parser.close();
    yield;
  } catch (error) {
    throw damaged(error);
  }
}

export async function readXml(pieces: AsyncIterable<Buffer>, handlers: Handlers): Promise<void> {
  for await (const _ of walkXml(pieces, handlers));
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);
