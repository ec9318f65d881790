// A script of its own, small and first: what the pages will ask for is on its way while the browser still reads them.
import { asks, CHOSEN } from './asks.ts';
import { paths } from '../contract/paths.ts';
import { showScheme } from './scheme.ts';

const answers = new Map<string, Promise<Response>>();
Object.assign(globalThis, { earlyAnswers: answers });

function ask(path: string, method = 'GET'): Promise<Response> {
  const answer = fetch(`/app${path}`, { method, headers: { accept: 'application/json' } });
  // Whoever takes the answer hears of it.
  answer.catch(() => undefined);
  answers.set(`${method} ${path}`, answer);
  return answer;
}

async function openDesk(listId: number): Promise<void> {
  const next = ask(asks.next(listId), 'POST');
  void ask(asks.desk(listId));
  const { lead } = (await (await next).clone().json()) as { lead?: { id: number; detected_duplicates: number[] } };
  const more = [asks.line, asks.day, asks.colleagues, asks.ahead(listId, [])];
  if (lead) {
    more.push(asks.activity(lead.id), asks.calls(lead.id), asks.numbers(lead.id));
    if (lead.detected_duplicates[0]) more.push(asks.lead(lead.detected_duplicates[0]));
  }
  whenIdle(() => {
    // Whoever has drawn the desk by now asks for itself.
    if (!document.querySelector('#root > *')) for (const path of more) void ask(path);
  });
}

const whenIdle = (act: () => void) => ('requestIdleCallback' in globalThis ? requestIdleCallback(act) : act());

// Before anything shows.
showScheme();

function begin(): void {
  void ask(asks.me);
  const chosen = Number(localStorage.getItem(CHOSEN));
  const isAtDesk = location.pathname === paths.work;
  // Whoever has worked before is sent on to the desk from the bare address.
  if (isAtDesk || (location.pathname === '/' && chosen > 0)) {
    void ask(asks.lists);
    if (chosen > 0) openDesk(chosen).catch(() => undefined);
  }
}

// A page that is only drawn in advance takes no lead.
const { prerendering } = document as Document & { prerendering?: boolean };
if (prerendering) document.addEventListener('prerenderingchange', begin, { once: true });
else begin();
