import type { Dice } from './dice.ts';

/** What a believable call centre is made of. Phone numbers are of ranges kept free for fiction, e-mail addresses of domains that cannot exist. */

/** What the company is called where nobody has named it yet. */
export const COMPANY = 'Halyard Energy';
export const CALLER_NUMBER = '+442079460100';

export const STAFF = [
  { first_name: 'Olivia', last_name: 'Hart', email: 'olivia@demo.example', role: 'owner' },
  { first_name: 'Daniel', last_name: 'Okafor', email: 'daniel@demo.example', role: 'lists_admin' },
  { first_name: 'Sofia', last_name: 'Lindqvist', email: 'sofia@demo.example', role: 'supervisor' },
  { first_name: 'Amara', last_name: 'Singh', email: 'amara@demo.example', role: 'agent' },
  { first_name: 'Ben', last_name: 'Moreau', email: 'ben@demo.example', role: 'agent' },
] as const;

const FIRST_NAMES =
  'Alice Amir Anna Astrid Bruno Carla Chen Clara David Elena Emil Emma Erik Fatima Felix Finn Freja Grace Hana Hugo Ida Igor Ines Jakob Jana Jonas Julia Kai Karin Lars Laura Leo Lina Luca Magnus Maja Marco Maria Mats Mia Nadia Nils Nora Oscar Pablo Petra Priya Rasmus Rosa Samuel Sara Silas Simon Tara Theo Tilda Tom Vera Viktor Yusuf Zoe'.split(
    ' ',
  );
const LAST_NAMES =
  'Adams Andersen Bauer Bell Berg Brandt Brown Carter Christensen Clarke Cohen Costa Dahl Davies Evans Fischer Foster Garcia Green Hansen Hoffmann Hughes Jensen Johansson Jones Keller Khan Klein Kovacs Larsen Lopez Madsen Martin Meyer Miller Moore Müller Nielsen Novak Olsen Patel Pedersen Petersen Rossi Russo Sanders Schmidt Schneider Schulz Silva Smith Sørensen Taylor Thomas Turner Walker Weber White Wilson Wolf Young Zimmermann'.split(
    ' ',
  );
const COMPANY_WORDS =
  'Alder Amber Anchor Arbor Beacon Birch Bright Cedar Clover Cobalt Copper Coral Crown Delta Ember Falcon Garnet Granite Harbour Hazel Indigo Juniper Lantern Linden Maple Meadow Mercury Mistral Nordic Oak Onyx Orchard Pebble Pine Quartz Raven Ridge River Saffron Silver Slate Sparrow Spruce Sterling Summit Thistle Umber Valley Willow Yarrow'.split(
    ' ',
  );
const TRADES =
  'Bakery Clinic Consulting Dental Design Electric Energy Finance Foods Freight Gardens Glass Homes Hotel Insurance Interiors Joinery Labs Legal Logistics Media Motors Optics Partners Pharmacy Plumbing Press Printing Robotics Roofing Security Software Solar Studio Textiles Tools Travel Works'.split(
    ' ',
  );
const GERMAN_NAMES =
  'Bauer Becker Berg Brandt Fischer Hartmann Hoffmann Keller Klein König Krüger Lange Meyer Müller Neumann Richter Schäfer Schmidt Schneider Schulz Vogel Weber Winkler Wolf Zimmermann'.split(
    ' ',
  );
const PRACTICES = 'Zahnarztpraxis Hausarztpraxis Augenarztpraxis Kinderarztpraxis Tierarztpraxis Physiotherapie'.split(
  ' ',
);
const TITLES = [
  'Owner',
  'Managing director',
  'Head of sales',
  'Office manager',
  'Buyer',
  'Practice manager',
  'Partner',
  'Finance director',
];

export type Country = 'GB' | 'US' | 'DE' | 'AU';

/** Every number of a range, as it is written: `+44 113 496 0` and three more digits. */
const range = (beginning: string, count: number): string[] =>
  Array.from({ length: 10 ** count }, (_, index) => beginning + String(index).padStart(count, '0'));

const AREAS_US =
  '202 206 212 213 214 215 216 303 305 312 313 314 404 407 408 412 414 415 503 504 505 512 602 612 614 615 617 619 702 704 713 718 804 808 813 816 901 904 916 919'.split(
    ' ',
  );
const MOBILES_AU =
  '570006 570156 570157 570158 570159 570110 570313 570737 571266 571491 571804 572549 572665 572983 573770 573087 574118 574632 575254 575789 576398 576801 577426 577644 578957 578148 578888 579212 579760 579455'.split(
    ' ',
  );

/** The ranges that Ofcom, NANPA, the Bundesnetzagentur and ACMA keep free for films and books. */
const PHONES: Record<Country, { office: () => string[]; mobile?: () => string[] }> = {
  GB: {
    office: () =>
      [
        ...['113', '114', '115', '116', '117', '118', '121', '131', '141', '151', '161'].map(
          (area) => `+44 ${area} 496 0`,
        ),
        '+44 20 7946 0',
        '+44 191 498 0',
        '+44 29 2018 0',
        '+44 28 9649 6',
      ].flatMap((beginning) => range(beginning, 3)),
    mobile: () => range('+44 7700 900', 3),
  },
  US: { office: () => AREAS_US.flatMap((area) => range(`+1 ${area} 555 01`, 2)) },
  DE: {
    office: () =>
      ['+49 30 23125 ', '+49 40 66969 ', '+49 69 90009 ', '+49 89 99998 ', '+49 221 4710 '].flatMap((beginning) =>
        range(beginning, 3),
      ),
    mobile: () => ['+49 171 39200', '+49 176 040690'].flatMap((beginning) => range(beginning, 2)),
  },
  AU: {
    office: () => range('+61 2 5550 ', 4),
    mobile: () => MOBILES_AU.map((number) => `+61 491 ${number.slice(0, 3)} ${number.slice(3)}`),
  },
};

/** Companies with the one to talk to there; no two share a number or an address. */
export function inventLeads(country: Country, count: number, dice: Dice): Record<string, string>[] {
  const { below } = dice;
  const { office, mobile } = PHONES[country];
  const offices = office();
  // Nobody tells the two apart in America.
  const mobiles = mobile?.() ?? offices;
  const carrying = Math.min(0.4, (0.8 * mobiles.length) / count) * count;
  const companies = new Set<string>();
  const leads = Array.from({ length: count }, () => {
    const company = inventCompany(country, dice, companies);
    const [first, last] = [dice.pick(FIRST_NAMES), dice.pick(country === 'DE' ? GERMAN_NAMES : LAST_NAMES)];
    const domain = `${asciiOf(company.replace(FORM, '')).replaceAll(/[^a-z]+/g, '-')}.example`;
    return {
      company_name: company,
      first_name: first,
      last_name: last,
      title: dice.pick(TITLES),
      work_office_phone: drawOne(offices, dice),
      mobile_phone: below(count) < carrying && mobiles.length > 0 ? drawOne(mobiles, dice) : '',
      e_mail: below(10) < 8 ? `${asciiOf(`${first}.${last}`)}@${domain}` : '',
      website: below(10) < 7 ? `https://${domain}` : '',
      ...EXTRAS[country]?.(dice),
    };
  });
  return [...leads.slice(0, count - REPEATED), ...leads.slice(0, REPEATED).map(writeAgain)];
}

/** What each list asks for besides. */
const EXTRAS: Partial<Record<Country, (dice: Dice) => Record<string, string>>> = {
  DE: ({ below }) => ({
    renewal_date: new Date(Date.now() + (10 + below(400)) * 86_400_000).toISOString().slice(0, 10),
  }),
  US: ({ pick }) => ({ met_at: pick(['Booth', 'Booth', 'Talk', 'Dinner', '']) }),
  AU: ({ pick, below }) => ({
    roof_area: below(4) === 0 ? '' : String(40 + 10 * below(60)),
    notes: pick(['', '', 'Flat roof, some shade in the afternoon.', 'Asked for a price with a battery.']),
  }),
};

const FORM = / (Ltd|Inc|Pty Ltd)$/;

/** Leads of each list that came in twice. */
const REPEATED = 5;

/** As somebody writes it who has only met them: the same number, little else. */
const writeAgain = (lead: Record<string, string>): Record<string, string> => ({
  ...lead,
  company_name: lead.company_name!.replace(FORM, ''),
  first_name: lead.first_name!.slice(0, 1),
  title: '',
  mobile_phone: '',
  e_mail: '',
  website: '',
});

function inventCompany(country: Country, dice: Dice, taken: Set<string>): string {
  for (;;) {
    const name = country === 'DE' ? inventPractice(dice) : inventFirm(country, dice);
    if (taken.has(name)) continue;
    taken.add(name);
    return name;
  }
}

const inventPractice = ({ pick, below }: Dice): string =>
  below(4) === 0
    ? `${pick(PRACTICES)} ${pick(GERMAN_NAMES)}`
    : `${pick(PRACTICES)} ${pick(GERMAN_NAMES)} & ${pick(GERMAN_NAMES)}`;

const FORMS: Partial<Record<Country, string>> = { GB: 'Ltd', US: 'Inc', AU: 'Pty Ltd' };

function inventFirm(country: Country, { pick, below }: Dice): string {
  const name = `${below(2) === 0 ? pick(LAST_NAMES) : pick(COMPANY_WORDS)} ${pick(TRADES)}`;
  return below(3) === 0 ? `${name} ${FORMS[country]}` : name;
}

const asciiOf = (text: string): string =>
  text.toLowerCase().replaceAll(/[äöøü]/g, (letter) => ({ ä: 'a', ö: 'o', ø: 'o', ü: 'u' })[letter]!);

/** Takes it out: the next one is another. */
function drawOne(from: string[], { below }: Dice): string {
  const index = below(from.length);
  const drawn = from[index]!;
  from[index] = from.at(-1)!;
  from.pop();
  return drawn;
}

export const LISTS: {
  name: string;
  purpose: string;
  country: Country;
  leads: number;
  extra: { label: string; kind: string; options?: string }[];
}[] = [
  {
    name: 'Autumn campaign, United Kingdom',
    purpose: 'Contracts that end before spring',
    country: 'GB',
    leads: 2_000,
    extra: [],
  },
  {
    name: 'Medical practices, Germany',
    purpose: 'Practices with more than three rooms',
    country: 'DE',
    leads: 1_500,
    extra: [{ label: 'Renewal date', kind: 'date' }],
  },
  {
    name: 'Trade fair contacts, United States',
    purpose: 'Visited the stand in October',
    country: 'US',
    leads: 1_000,
    extra: [{ label: 'Met at', kind: 'options', options: 'Booth, Talk, Dinner' }],
  },
  {
    name: 'Solar enquiries, Sydney',
    purpose: 'Asked for a quote on the website',
    country: 'AU',
    leads: 500,
    extra: [
      { label: 'Roof area', kind: 'integer' },
      { label: 'Notes', kind: 'text' },
    ],
  },
];

export const CATEGORIES = {
  call_back_categories: 'Bad time, Positive, No answer, Voicemail, Gatekeeper',
  winner_categories: 'Meeting booked, Order',
  loser_categories: 'Not interested, Has a supplier, Too expensive',
  archive_categories: 'Wrong number, Out of business',
  skip_categories: 'Not now',
};

export const scriptOf = (company: string) => `# Opening

Good morning {{first_name}}, this is ${company}. I am calling about the electricity of **{{company_name}}**. Is now a good time?

> If not: “What suits you better, later today or tomorrow morning?”

# Discovery

1. How many sites does {{company_name}} run?
2. Who decides on a contract, you or somebody else?
3. When does the present contract end, and what would make you look earlier?

# Offer

We look at one bill and send a fixed price within a day. You owe us nothing if you stop there.

Confirm the address: {{e_mail}}

# Objections

**“We are tied in until spring.”** That is when to plan: a price today holds until then.

**“Send me something by mail.”** Gladly. What should it answer, so that it is worth reading?
`;

export const COMMENTS = {
  call_back: [
    'Asked to be called in the afternoon.',
    'In a meeting, friendly.',
    'Left a message with the front desk.',
    'Wants figures by mail first.',
    '',
  ],
  winner: ['Meeting on Tuesday at ten.', 'Ordered the small package.', 'Very keen, bring the contract.'],
  loser: ['Signed with someone else last month.', 'No budget this year.', ''],
  archive: ['Number belongs to a private person.', 'The company has closed.'],
} as const;
