import type { Dice } from './dice.ts';

/** What a believable call centre is made of. Phone numbers are of ranges kept free for fiction, e-mail addresses of domains that cannot exist. */

/** A number that is kept free for films and books. */
export const CALLER_ID = { number: '+442079460100', name: 'Demo call centre' };

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
  'Bakery Clinic Consulting Dental Design Electric Energy Finance Foods Freight Gardens Glass Homes Hotel Insurance Interiors Joinery Labs Legal Logistics Media Motors Optics Partners Pharmacy Plumbing Press Printing Robotics Roofing Security Software Solar Studio Textiles Tools Travel Travel Works'.split(
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

type Below = Dice['below'];

const digits = (below: Below, count: number) => String(below(10 ** count)).padStart(count, '0');

const PHONES: Record<Country, { office: (below: Below) => string; mobile: (below: Below) => string }> = {
  GB: { office: (below) => `+44 20 7946 0${digits(below, 3)}`, mobile: (below) => `+44 7700 900${digits(below, 3)}` },
  US: {
    office: (below) => `+1 ${200 + below(700)} 555 01${digits(below, 2)}`,
    mobile: (below) => `+1 ${200 + below(700)} 555 01${digits(below, 2)}`,
  },
  DE: { office: (below) => `+49 30 23125 ${digits(below, 3)}`, mobile: (below) => `+49 171 39200${digits(below, 2)}` },
  AU: { office: (below) => `+61 2 5550 ${digits(below, 4)}`, mobile: (below) => `+61 491 570 ${digits(below, 3)}` },
};

/** One lead of the default fields. */
export function inventLead(country: Country, { pick, below }: Dice): Record<string, string> {
  const [first, last] = [pick(FIRST_NAMES), pick(LAST_NAMES)];
  const company = `${pick(COMPANY_WORDS)} ${pick(TRADES)}`;
  const domain = `${company.toLowerCase().replace(' ', '-')}.example`;
  const mail = `${first}.${last}`.toLowerCase().replace('ø', 'o').replace('ü', 'u');
  return {
    company_name: company,
    first_name: first,
    last_name: last,
    title: pick(TITLES),
    work_office_phone: PHONES[country].office(below),
    mobile_phone: below(10) < 6 ? PHONES[country].mobile(below) : '',
    e_mail: below(10) < 8 ? `${mail}${below(300)}@${domain}` : '',
    website: below(10) < 7 ? `https://${domain}` : '',
  };
}

export const LISTS: {
  name: string;
  country: Country;
  leads: number;
  extra: { label: string; kind: string; options?: string }[];
}[] = [
  { name: 'Autumn campaign, United Kingdom', country: 'GB', leads: 2_000, extra: [] },
  { name: 'Practices in Berlin', country: 'DE', leads: 1_500, extra: [{ label: 'Renewal date', kind: 'date' }] },
  {
    name: 'Trade fair contacts, United States',
    country: 'US',
    leads: 1_000,
    extra: [{ label: 'Met at', kind: 'options', options: 'Booth, Talk, Dinner' }],
  },
  {
    name: 'Solar enquiries, Sydney',
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

export const SCRIPT = `# Opening

Good morning {{first_name}}, this is Leadline Demo. I am calling about the electricity of **{{company_name}}**. Is now a good time?

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
