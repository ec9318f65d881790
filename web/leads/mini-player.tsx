import { useInViewport } from '@mantine/hooks';
import { IconPlayerPauseFilled, IconPlayerPlayFilled } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { MouseEvent } from 'react';
import type { Call } from '../../contract/calls.ts';
import { sayWhen } from '../times.ts';
import { readPeaks, sayLength, soundQuery, usePlayback } from './sound.ts';
import './mini-player.css';

const BARS = 26;
const HEIGHT = 18;

/** A recording in one line: play, what it looks like, how long it is. */
export function MiniPlayer({ call }: { call: Call }) {
  const { isPlaying, at, seek, toggle, props } = usePlayback(call);
  const { ref, inViewport } = useInViewport<HTMLDivElement>();
  const { data } = useQuery({ ...soundQuery(call.id), enabled: inViewport });
  const recording = data?.recordings[0];
  const seconds = recording?.seconds ?? call.duration;
  const jump = (event: MouseEvent<SVGSVGElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    seek(((event.clientX - left) / width) * seconds);
  };
  const begun = isPlaying || at > 0;
  const Icon = isPlaying ? IconPlayerPauseFilled : IconPlayerPlayFilled;
  return (
    <div className="mini-player" ref={ref}>
      <audio preload="none" {...props} />
      <button
        type="button"
        aria-label={`${isPlaying ? 'Pause' : 'Play'} the call of ${sayWhen(call.started_at)}`}
        onClick={toggle}
        // Space is its own while it has the focus, and not the large player's.
        onKeyDown={(event) => event.key === ' ' && event.stopPropagation()}
      >
        <Icon size={12} aria-hidden />
      </button>
      <svg viewBox={`0 0 ${BARS * 4} ${HEIGHT}`} aria-hidden onClick={jump}>
        {drawBars(recording?.channels ?? []).map((height, bar) => (
          <rect
            key={bar}
            x={bar * 4}
            y={(HEIGHT - height) / 2}
            width={2}
            height={height}
            rx={1}
            className={begun && bar / BARS < at / seconds ? 'played' : ''}
          />
        ))}
      </svg>
      <span className="figures">{sayLength(begun ? at : seconds)}</span>
    </div>
  );
}

/** How loud whoever speaks is, in as many bars as there is room for. */
function drawBars(channels: string[]): number[] {
  const rows = readPeaks(channels);
  const heard = rows[0]!.map((_, moment) => Math.max(...rows.map((row) => row[moment]!)));
  const bars = Array.from({ length: BARS }, (_, bar) => {
    const some = heard.slice(Math.floor((bar * heard.length) / BARS), Math.ceil(((bar + 1) * heard.length) / BARS));
    return some.reduce((sum, level) => sum + level, 0) / some.length;
  });
  // So wide a bar is never silent: what differs is drawn larger than it is.
  const [quiet, loud] = [Math.min(...bars) * 0.8, Math.max(...bars)];
  return bars.map((level) => Math.max(2, loud > quiet ? ((level - quiet) / (loud - quiet)) * HEIGHT : 0));
}
