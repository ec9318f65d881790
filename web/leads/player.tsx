import { Tooltip, useComputedColorScheme } from '@mantine/core';
import {
  IconDownload,
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
  IconRewindBackward5,
  IconRewindForward5,
} from '@tabler/icons-react';
import { useEffect, useMemo, useRef, type RefObject } from 'react';
import WaveSurfer from 'wavesurfer.js';
import type { Call, Sound } from '../../contract/calls.ts';
import { isPressing, useKeys } from '../keys.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { nonce } from '../ui/kit.tsx';
import { tellFailure } from '../ui/notices.ts';
import { readPeaks, sayLength, usePlayback } from './sound.ts';
import './player.css';

const SPEEDS = [0.75, 1, 1.25, 1.5, 2];
const STEP = 5;
const ROW = 76;

type Props = {
  call: Call;
  part: number;
  recording: Sound['recordings'][number];
  /** Those on the line, in the order of the channels. */
  speakers: string[];
};

/** A row for each speaker, played by Space and the arrow keys. */
export function Player({ call, part, recording, speakers }: Props) {
  const { audio, at, isPlaying, speed, seek, toggle, setSpeed, renew, props } = usePlayback(call, part);
  const peaks = useMemo(() => readPeaks(recording.channels), [recording]);
  const seconds = recording.seconds ?? call.duration;
  const waves = useWaves(audio, peaks, seconds);
  const step = (by: number) => seek(audio.current!.currentTime + by);
  const hurry = (by: number) => {
    const next = SPEEDS[SPEEDS.indexOf(speed) + by];
    if (next) setSpeed(next);
  };
  useKeys({
    Space: (event) => (isPressing(event) ? false : toggle()),
    ArrowLeft: () => step(-STEP),
    ArrowRight: () => step(STEP),
    '<': () => hurry(-1),
    '>': () => hurry(1),
  });
  const download = async () => {
    const link = document.createElement('a');
    link.href = await renew();
    link.download = '';
    link.click();
  };
  return (
    <div className="player">
      <audio preload="metadata" {...props} />
      <div className="waves">
        <div className="speakers" aria-hidden>
          {peaks.map((_, row) => (
            <span key={row}>{peaks.length === 2 ? speakers[row] : 'Call'}</span>
          ))}
        </div>
        <div
          ref={waves}
          role="slider"
          tabIndex={0}
          aria-label="Position"
          aria-valuemin={0}
          aria-valuemax={Math.round(seconds)}
          aria-valuenow={Math.round(at)}
          aria-valuetext={`${sayLength(at)} of ${sayLength(seconds)}`}
        />
        <Axis seconds={seconds} />
      </div>
      <div className="player-foot">
        <Tooltip label={isPlaying ? 'Pause (Space)' : 'Play (Space)'}>
          <IconButton className="play" label={isPlaying ? 'Pause' : 'Play'} onClick={toggle}>
            {isPlaying ? <IconPlayerPauseFilled size={16} /> : <IconPlayerPlayFilled size={16} />}
          </IconButton>
        </Tooltip>
        <Tooltip label="Back 5 s (←)">
          <IconButton label="Back 5 seconds" onClick={() => step(-STEP)}>
            <IconRewindBackward5 size={20} stroke={1.75} />
          </IconButton>
        </Tooltip>
        <Tooltip label="On 5 s (→)">
          <IconButton label="On 5 seconds" onClick={() => step(STEP)}>
            <IconRewindForward5 size={20} stroke={1.75} />
          </IconButton>
        </Tooltip>
        <p className="figures">
          <b>{sayLength(at)}</b> <span className="dim">of {sayLength(seconds)}</span>
        </p>
        <span className="grow" />
        <Tooltip label="Slower (<), faster (>)">
          <Button
            variant="default"
            size="xs"
            className="figures"
            aria-label={`Speed: ${speed} times`}
            onClick={() => setSpeed(SPEEDS[(SPEEDS.indexOf(speed) + 1) % SPEEDS.length]!)}
          >
            {speed}×
          </Button>
        </Tooltip>
        <Tooltip label="Download">
          <IconButton label="Download the recording" onClick={() => void download().catch(tellFailure)}>
            <IconDownload size={18} stroke={1.75} />
          </IconButton>
        </Tooltip>
      </div>
    </div>
  );
}

/** Draws what the audio element plays; the colours are those of the scheme. */
function useWaves(audio: RefObject<HTMLAudioElement | null>, peaks: number[][], seconds: number) {
  const waves = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme();
  useEffect(() => {
    const container = waves.current!;
    const colour = (name: string) => getComputedStyle(container).getPropertyValue(name).trim();
    const wave = WaveSurfer.create({
      container,
      media: audio.current!,
      peaks,
      duration: Math.max(0.1, seconds),
      height: ROW,
      splitChannels: peaks.map(() => ({})),
      waveColor: colour('--ll-line-2'),
      progressColor: colour('--ll-accent'),
      cursorWidth: 0,
      barWidth: 3,
      barGap: 2,
      barRadius: 2,
      barMinHeight: 3,
      dragToSeek: true,
      hideScrollbar: true,
      cspNonce: nonce,
    });
    return () => wave.destroy();
  }, [audio, peaks, seconds, scheme]);
  return waves;
}

const TICKS = [1, 2, 5, 10, 15, 30, 60, 90, 120, 300, 600, 900, 1_800, 3_600];

/** Six moments at most, the last one being the end. */
function Axis({ seconds }: { seconds: number }) {
  const every = TICKS.find((tick) => seconds / tick <= 5.5) ?? 3_600;
  const moments = Array.from({ length: Math.floor(seconds / every) + 1 }, (_, tick) => tick * every);
  return (
    <div className="axis figures" aria-hidden>
      {moments
        .filter((moment) => seconds - moment > seconds / 10)
        .map((moment) => (
          <span key={moment} style={{ left: `${(moment / seconds) * 100}%` }}>
            {sayLength(moment)}
          </span>
        ))}
      <span className="axis-end">{sayLength(seconds)}</span>
    </div>
  );
}
