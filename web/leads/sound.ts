import { queryOptions } from '@tanstack/react-query';
import { useRef, useState, type RefObject } from 'react';
import type { Call, Sound } from '../../contract/calls.ts';
import { get } from '../api.ts';
import { sayDuration } from '../times.ts';
import { tellFailure } from '../ui/notices.ts';

/** What a recording looks like never changes; why there is none may. */
export const soundQuery = (callId: number) =>
  queryOptions({
    queryKey: ['sound', callId],
    queryFn: () => get<Sound>(`/calls/${callId}/sound`),
    staleTime: ({ state }) => (state.data?.silence === null ? Infinity : 10_000),
  });

/** `7:32`. */
export const sayLength = (seconds: number): string => sayDuration(seconds).replace(/^0(?=\d:)/, '');

/** One row of loudness for each speaker, 0 to 1, the loudest of all being 1. Flat where nothing is known. */
export function readPeaks(channels: string[]): number[][] {
  const rows = channels.map((channel) => Array.from(atob(channel), (byte) => byte.charCodeAt(0)));
  const loudest = Math.max(1, ...rows.flat());
  return rows.length > 0 ? rows.map((row) => row.map((level) => level / loudest)) : [[0]];
}

/** From wherever the page was opened: the account may have another address. */
function ownPath(url: string): string {
  const { pathname, search } = new URL(url, location.origin);
  return pathname + search;
}

const isExpired = (path: string) =>
  Number(new URLSearchParams(path.split('?')[1]).get('expires')) * 1_000 < Date.now() + 5_000;

export type Playback = ReturnType<typeof usePlayback>;

/** The recording of a call, and its controls. Its `props` belong on an audio element; one of those in a page plays at a time. */
export function usePlayback(call: Call, part = 0) {
  const audio: RefObject<HTMLAudioElement | null> = useRef(null);
  const [isPlaying, setPlaying] = useState(false);
  const [at, setAt] = useState(0);
  const [speed, setSpeed] = useState(1);
  // The first link is kept: another one would begin again from the start.
  const [src] = useState(() => ownPath(call.recordings[part]!.url));
  const link = useRef(src);

  /** Links last for minutes. A new one goes on where the old one was. */
  const renew = async (): Promise<string> => {
    if (!isExpired(link.current)) return link.current;
    const { recordings } = await get<Call>(`/calls/${call.id}`);
    if (!recordings[part]) throw new Error('The recording is not there any more.');
    link.current = ownPath(recordings[part].url);
    const sound = audio.current!;
    const { currentTime, paused } = sound;
    sound.src = link.current;
    sound.currentTime = currentTime;
    if (!paused) await sound.play();
    return link.current;
  };
  const play = async () => {
    try {
      await renew();
      await audio.current!.play();
    } catch (error) {
      // Paused before it had begun.
      if (!(error instanceof DOMException && error.name === 'AbortError')) tellFailure(error);
    }
  };
  const seek = (to: number) => {
    const sound = audio.current!;
    sound.currentTime = Math.max(0, Math.min(to, Number.isFinite(sound.duration) ? sound.duration : to));
    setAt(sound.currentTime);
  };
  return {
    audio,
    isPlaying,
    at,
    speed,
    renew,
    seek,
    setSpeed: (times: number) => {
      // The second is what a new link begins with.
      audio.current!.playbackRate = times;
      audio.current!.defaultPlaybackRate = times;
      setSpeed(times);
    },
    // As it is by now: its events, by which the button changes, come a moment later than a second key.
    toggle: () => (audio.current!.paused ? void play() : audio.current!.pause()),
    props: {
      ref: audio,
      src,
      onPlay: () => {
        pauseOthers(audio.current!);
        setPlaying(true);
      },
      onPause: () => setPlaying(false),
      onEnded: () => setPlaying(false),
      onTimeUpdate: () => setAt(audio.current!.currentTime),
      onError: () => {
        if (isPlaying && isExpired(link.current)) void play();
        else setPlaying(false);
      },
    },
  };
}

function pauseOthers(playing: HTMLAudioElement): void {
  for (const other of document.querySelectorAll('audio')) if (other !== playing) other.pause();
}
