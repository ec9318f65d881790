import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** `startedAt` is opaque: together with the pid it tells a process from a later one that was given the same pid. */
export type ProcessFacts = { startedAt: string; command: string };

/** What is known of a live process. A zombie counts as dead: it holds no file and no lock, only its number. */
export function inspectProcess(pid: number): ProcessFacts | undefined {
  return process.platform === 'linux' ? inspectByProc(pid) : inspectByPs(pid);
}

function inspectByProc(pid: number): ProcessFacts | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses and may itself hold spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return { startedAt: fields[19] ?? '', command };
  } catch {
    return undefined;
  }
}

function inspectByPs(pid: number): ProcessFacts | undefined {
  const { status, stdout } = spawnSync('ps', ['-ww', '-o', 'stat=,lstart=,command=', '-p', String(pid)], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  });
  const [, stat = '', startedAt = '', command = ''] =
    /^\s*(\S+)\s+(\S+\s+\S+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/s.exec(stdout ?? '') ?? [];
  return status === 0 && !stat.startsWith('Z') ? { startedAt, command: command.trim() } : undefined;
}
