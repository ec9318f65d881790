import { openEmbedded } from '../server/telephony/media/embedded/engine.ts';

/** The engine of the sound alone in a process, whose processor time is therefore all its own: threads, disk and collection included. */
export type AskedOfLine =
  | { ask: 'begin'; offers: string[]; paired: boolean; folder: string; recorded: boolean }
  | { ask: 'usage' }
  | { ask: 'end' };

export type ToldByLine =
  | { answers: string[] }
  | { usage: { cpu: number; at: number; megabytes: number } }
  | { ended: { seconds: number[] } };

const ECHO = { module: new URL('../test/parties.ts', import.meta.url).href, options: { kind: 'echoes' } };

const tell = (told: ToldByLine) => process.send!(told);
const media = openEmbedded({ publicIps: ['127.0.0.1'], ports: { first: 43_000, last: 44_999 } }, () => {});
let calls: string[] = [];

process.on('message', (asked: AskedOfLine) => {
  void answer(asked);
});

async function answer(asked: AskedOfLine): Promise<void> {
  if (asked.ask === 'begin') {
    const { offers, paired, folder, recorded } = asked;
    const answers = await Promise.all(offers.map((offer, at) => media.connect(`leg-${at}`, offer)));
    calls = Array.from({ length: paired ? offers.length / 2 : offers.length }, (_, at) => `call-${at}`);
    for (const [at, call] of calls.entries()) {
      media.begin(call);
      media.attach(call, 'agent', `leg-${paired ? at * 2 : at}`);
      if (paired) media.attach(call, 'other', `leg-${at * 2 + 1}`);
      else media.attachParty(call, ECHO);
      if (recorded) media.record(call, `${folder}/${call}.wav`);
    }
    tell({ answers });
  } else if (asked.ask === 'usage') {
    const { user, system } = process.cpuUsage();
    const megabytes = Math.round(process.memoryUsage.rss() / 1024 ** 2);
    tell({ usage: { cpu: (user + system) / 1_000, at: performance.now(), megabytes } });
  } else {
    const recorded = await Promise.all(calls.map((call) => media.end(call)));
    await media.stop();
    tell({ ended: { seconds: recorded.flatMap((each) => (each ? [each.seconds] : [])) } });
    process.exit();
  }
}
