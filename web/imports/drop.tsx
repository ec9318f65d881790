import { IconFileSpreadsheet } from '@tabler/icons-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import './drop.css';

const ACCEPTED = '.csv,.tsv,.txt,.tab,.xlsx,text/csv,text/plain,text/tab-separated-values';

/** What spreadsheets write besides, and what helps. */
const OTHERS: Record<string, string> = {
  xls: 'Files of Excel before 2007 (.xls) cannot be read. Save it as .xlsx or CSV, then choose that.',
  ods: 'OpenDocument sheets (.ods) cannot be read. Save it as .xlsx or CSV, then choose that.',
  numbers: 'Files of Numbers cannot be read. Export it as CSV or Excel, then choose that.',
  zip: 'A .zip has to be unpacked first. Choose the file that is in it.',
  pdf: 'A .pdf holds no table that could be read. Choose a CSV file or an Excel workbook.',
};

/** Why a file need not be sent, as a sentence. */
export function refuse({ name, size }: Pick<File, 'name' | 'size'>): string | undefined {
  if (size === 0) return `${name} is empty. Choose another file.`;
  return OTHERS[/\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''];
}

type Props = {
  /** On the button. */
  words: string;
  take: (file: File) => void;
  /** Told where what was dropped is no single file. */
  refuse: (why: string) => void;
  children: ReactNode;
};

/** Takes one file: by the button, or dropped anywhere on the page. */
export function Drop({ words, take, refuse: say, children }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  const takeAll = (files: File[]) => {
    if (files.length === 1) take(files[0]!);
    else if (files.length > 1) say('One file at a time. Drop or choose a single one.');
    else say('That is no file. Drop a CSV file or an Excel workbook.');
  };
  const isOver = useDropped(takeAll);
  return (
    <div className={isOver ? 'drop over' : 'drop'}>
      <IconFileSpreadsheet size={32} stroke={1.5} aria-hidden />
      <div>{children}</div>
      <Button ref={button} onClick={() => input.current?.click()}>
        {words}
      </Button>
      <input
        ref={input}
        type="file"
        className="unseen"
        tabIndex={-1}
        aria-label="File"
        accept={ACCEPTED}
        onChange={(event) => {
          const { files } = event.currentTarget;
          if (files && files.length > 0) takeAll([...files]);
          // The same one can be chosen again.
          event.currentTarget.value = '';
        }}
      />
    </div>
  );
}

const hasFile = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false;

/** The whole page takes it, so that a near miss does not make the browser open the file instead. */
function useDropped(take: (files: File[]) => void): boolean {
  const [isOver, setOver] = useState(false);
  const current = useRef(take);
  useEffect(() => {
    current.current = take;
  });
  useEffect(() => {
    const stop = new AbortController();
    const on = (name: string, hear: (event: DragEvent) => void) =>
      addEventListener(name, hear as EventListener, { signal: stop.signal });
    on('dragover', (event) => {
      if (!hasFile(event)) return;
      event.preventDefault();
      setOver(true);
    });
    on('dragleave', (event) => event.relatedTarget === null && setOver(false));
    on('drop', (event) => {
      setOver(false);
      if (!hasFile(event)) return;
      event.preventDefault();
      current.current([...(event.dataTransfer?.files ?? [])]);
    });
    return () => stop.abort();
  }, []);
  return isOver;
}
