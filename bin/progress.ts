import type { WriteStream } from 'node:tty';

/** How far something has come: a bar on a terminal, a line now and then elsewhere. */

type Pace = { rows?: number; a_second?: number; seconds_left?: number | null };

export type Progress = { show: (what: string, share: number | null, pace?: Pace) => void; end: () => void };

const WIDTH = 24;
/** Elsewhere than on a terminal: at each of these shares. */
const STEP = 0.1;

export function openProgress(out: Pick<WriteStream, 'write' | 'isTTY'>): Progress {
  let [shown, step] = ['', -1];
  const end = () => {
    if (out.isTTY && shown !== '') out.write('\n');
    shown = '';
  };
  const show: Progress['show'] = (what, share, pace = {}) => {
    if (shown !== what) {
      end();
      step = -1;
    }
    const told = sayPace(share, pace);
    if (out.isTTY) {
      const full = Math.round((share ?? 0) * WIDTH);
      const bar = share === null ? '' : ` [${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}]`;
      out.write(`\r\u001B[K${what}${bar}${told}`);
    } else if (Math.floor((share ?? 0) / STEP) > step) {
      step = Math.floor((share ?? 0) / STEP);
      out.write(`${what}${told}\n`);
    }
    shown = what;
  };
  return { show, end };
}

function sayPace(share: number | null, { rows, a_second = 0, seconds_left = null }: Pace): string {
  return [
    ...(share === null ? [] : [` ${Math.floor(share * 100)}%`]),
    ...(rows ? [` ${rows.toLocaleString('en')} rows`] : []),
    ...(a_second > 0 ? [`, ${a_second.toLocaleString('en')} rows a second`] : []),
    ...(seconds_left === null || seconds_left === 0 ? [] : [`, ${sayTime(seconds_left)} left`]),
  ].join('');
}

const sayTime = (seconds: number): string =>
  seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
