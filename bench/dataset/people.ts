/** Leads as a sales department has them, the same for the same number on every machine. */

/** In one lead of twenty, and nowhere else. */
export const COMMON_WORD = 'Procurement';

const FIRST =
  words(`Anna Lars Mette Søren Peter Ingrid Jürgen Zoë María José Emma Noah Oliver Freja Björn Åse Łukasz Chloé Sven Katja
  Henrik Ole Birgit Tom Susan James Mary Linda Robert Patricia Karen Michael Laura Simon Nadia Omar Fatima Ahmed Yusuf Elif`);
const LAST =
  words(`Jensen Nielsen Hansen Pedersen Møller Müller Schmidt Schneider Fischer Weber Smith Jones Taylor Brown Williams García
  Martínez Rossi Novák Kowalski Andersson Johansson Karlsson Virtanen Dubois Lefèvre O'Brien Murphy van-Dijk Bakker Öztürk Yılmaz`);
const TITLE = words(
  `CEO CFO CTO Buyer Manager Director Assistant Engineer Consultant Partner Owner Accountant Secretary Planner Analyst`,
);
const BRANCH = words(
  `Logistics Foods Software Consulting Textiles Metals Energy Media Pharma Design Motors Marine Timber Electric`,
);
const FORM = words('ApS A/S GmbH Ltd Inc AB BV SARL');
const SYLLABLE =
  words(`bra vel tor kin mas fel dor nix gal pem rus tav lok zen hul wic jar sod ket lum bas fen gor hix lad mov nep pil
  quo rim sul tez urv vak wob xan yed zup cal dex erg fip gon hob ist jun kel lop mur nas`);
const DOMAIN = words('dk de com co.uk se net org eu io');

/** How often a value is somebody else's too. */
const DUPLICATE_EVERY = 50;

export type Person = Record<string, string>;

export function makePerson(number: number): Person {
  const random = seeded(number);
  const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)]!;
  const [first, last] = [pick(FIRST), pick(LAST)];
  // Of 125,000 made-up names, so that each is that of some nine leads in a million.
  const name = capital(pick(SYLLABLE) + pick(SYLLABLE) + pick(SYLLABLE));
  const twin = number % DUPLICATE_EVERY === 0 && number > 1_000 ? number - 777 : number;
  const domain = `${name.toLowerCase()}.${pick(DOMAIN)}`;
  return {
    company_name: `${name} ${pick(BRANCH)} ${pick(FORM)}`,
    first_name: first,
    last_name: last,
    title: number % 20 === 7 ? `Head of ${COMMON_WORD}` : pick(TITLE),
    work_office_phone: makePhone(twin),
    ...(random() < 0.6 && { mobile_phone: makePhone(number + 500_000_000) }),
    e_mail: `${first}.${last}.${twin}@${domain}`.toLowerCase().replaceAll("'", ''),
    ...(random() < 0.5 && { website: `https://www.${domain}` }),
  };
}

function makePhone(number: number): string {
  const random = seeded(number * 31 + 7);
  const digits = (count: number) => String(Math.floor(random() * 10 ** count)).padStart(count, '0');
  switch (number % 5) {
    case 0:
      return `+45 3${digits(1)} ${digits(2)} ${digits(2)} ${digits(2)}`;
    case 1:
      return `4${digits(7)}`;
    case 2:
      return `+49 30 ${digits(8)}`;
    case 3:
      return `+44 (0)20 7${digits(3)} ${digits(4)}`;
    default:
      return `+1 212-${2 + Math.floor(random() * 8)}${digits(2)}-${digits(4)}`;
  }
}

/** Mulberry32: small, quick, and even enough to fill a table. */
function seeded(seed: number): () => number {
  let state = Math.imul(seed, 2_654_435_761) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function words(text: string): string[] {
  return text.split(/\s+/);
}

function capital(word: string): string {
  return word[0]!.toUpperCase() + word.slice(1);
}
