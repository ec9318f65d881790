import { Checkbox, NativeSelect } from '@mantine/core';
import { IconFileText } from '@tabler/icons-react';
import {
  DELIMITERS,
  ENCODINGS,
  type Delimiter,
  type Encoding,
  type HowRead,
  type Import,
} from '../../../contract/imports.ts';
import { sayBytes, sayRows } from '../words.ts';
import './file-line.css';

const choicesOf = (named: Record<string, string>) => Object.entries(named).map(([value, label]) => ({ value, label }));

type Props = { import: Import; change: (part: Partial<HowRead>) => void };

/** Which file it is, and how it is read; every choice reads it again. */
export function FileLine({ import: one, change }: Props) {
  const { file_name, bytes, rows, state, how_read: how, sheets } = one;
  const read = state === 'reading' ? `${sayRows(rows)} so far` : sayRows(rows);
  return (
    <div className="file-line">
      <IconFileText size={18} stroke={1.75} aria-hidden />
      <p className="grow wrap">
        <strong>{file_name}</strong>{' '}
        <span className="meta figures">
          {sayBytes(bytes)}, {read}
        </span>
      </p>
      {how?.format === 'csv' && (
        <>
          <NativeSelect
            size="xs"
            aria-label="Encoding"
            value={how.encoding}
            data={choicesOf(ENCODINGS)}
            onChange={(event) => change({ encoding: event.currentTarget.value as Encoding })}
          />
          <NativeSelect
            size="xs"
            aria-label="Delimiter"
            value={how.delimiter}
            data={choicesOf(DELIMITERS)}
            onChange={(event) => change({ delimiter: event.currentTarget.value as Delimiter })}
          />
        </>
      )}
      {how?.format === 'xlsx' && sheets.length > 1 && (
        <NativeSelect
          size="xs"
          aria-label="Sheet"
          value={how.sheet}
          data={sheets.map((label, value) => ({ value: String(value), label }))}
          onChange={(event) => change({ sheet: Number(event.currentTarget.value) })}
        />
      )}
      {how && (
        <Checkbox
          size="xs"
          label="First row holds names"
          checked={how.header}
          onChange={(event) => change({ header: event.currentTarget.checked })}
        />
      )}
    </div>
  );
}
