/* What is said on the simulated line, by whom. `node bin/speak.ts` speaks it into `sounds/`, a file a sentence: whoever changes a word runs that again. */

/** What someone who is called may say; `machine` is what their answering machine says. */
export type Remark =
  | 'hello'
  | 'still_there'
  | 'who'
  | 'listening'
  | 'go_on'
  | 'yes'
  | 'no'
  | 'sites'
  | 'decides'
  | 'contract'
  | 'price'
  | 'dear'
  | 'mail'
  | 'interested'
  | 'later'
  | 'bye'
  | 'machine';

export const PEOPLE = {
  ruth: {
    hello: 'Hello?',
    still_there: 'Hello? Is anybody there?',
    who: 'Sorry, who is calling?',
    listening: 'I have a minute. What is it about?',
    go_on: 'I see. Go on.',
    yes: 'Yes, that is right.',
    no: 'No, not really.',
    sites: 'We have two shops, and a small office.',
    decides: 'I would have to talk to my partner first.',
    contract: 'I think it runs until next spring.',
    price: 'And what would that cost us?',
    dear: 'That is more than we pay now.',
    mail: 'Can you send me something by mail?',
    interested: 'That sounds interesting.',
    later: 'Can you call me back on Thursday?',
    bye: 'Thank you. Bye bye.',
    machine: 'Hello, this is Ruth. I cannot take your call. Please leave a message.',
  },
  ines: {
    hello: 'Good morning, reception.',
    still_there: 'Hello? I cannot hear you.',
    who: 'Who am I speaking to, please?',
    listening: 'Yes, I am listening.',
    go_on: 'Okay, tell me more.',
    yes: 'Yes, please.',
    no: 'No, I do not think so.',
    sites: 'Just this one, with about twelve people.',
    decides: 'That is not for me to decide. It is my boss.',
    contract: 'We have changed it only last year.',
    price: 'How much is it a month?',
    dear: 'Hmm, that is quite expensive.',
    mail: 'Just send it to our office, please.',
    interested: 'Oh, that would be nice.',
    later: 'Could you try again tomorrow morning?',
    bye: 'All right, goodbye.',
    machine: 'You have reached our office. We are closed now. Please speak after the tone.',
  },
  paul: {
    hello: 'Paul speaking.',
    still_there: 'Hello? Are you there?',
    who: 'Who is this?',
    listening: 'Okay, but make it quick, please.',
    go_on: 'Right. And then?',
    yes: 'Yes, I do.',
    no: 'No, we do not need that.',
    sites: 'Four at the moment, and one more next year.',
    decides: 'I decide that myself.',
    contract: 'It ends in December, as far as I know.',
    price: 'What does it cost?',
    dear: 'That is too much for us.',
    mail: 'Send me the figures, and I will have a look.',
    interested: 'Now that I would like to see.',
    later: 'I am in a meeting. Call me in the afternoon.',
    bye: 'Thanks for calling. Goodbye.',
    machine: 'This is the mailbox of Paul. Please leave your name and number after the tone.',
  },
  alan: {
    hello: 'Hello, who is it?',
    still_there: 'Hello? Hello?',
    who: 'And what company is that?',
    listening: 'Well, I am listening.',
    go_on: 'I understand.',
    yes: 'Yes, exactly.',
    no: 'No, thank you.',
    sites: 'Only the workshop, and my van.',
    decides: 'My wife does the books. I will ask her.',
    contract: 'I would have to look that up.',
    price: 'Is there a price on that?',
    dear: 'We had something cheaper before.',
    mail: 'Have you got that in writing?',
    interested: 'That does not sound bad at all.',
    later: 'I am driving. Can you call me back on Monday?',
    bye: 'Fine, until then. Bye.',
    machine: 'Hi, you have missed me. Leave a message, and I will call you back.',
  },
} satisfies Record<string, Record<Remark, string>>;

/** The agents of recordings that are made up. */
export const AGENTS = {
  amara: {
    introduces: 'Good morning, this is Amara. I am calling about your electricity.',
    asks_time: 'Is now a good time?',
    offers: 'We look at one bill, and send you a fixed price within a day.',
    asks_sites: 'How many sites do you run?',
    asks_decides: 'Who decides on a contract, you or somebody else?',
    asks_contract: 'And when does your present contract end?',
    plans: 'That is when to plan. A price today holds until then.',
    saves: 'Most companies of your size pay ten percent less with us.',
    owes: 'You owe us nothing if you stop there.',
    mails: 'Gladly. You will have it in your mail today.',
    asks_later: 'When may I call you again?',
    closes: 'Very good. Thank you for your time, and goodbye.',
    missed: 'I am sorry that I missed you. Please call me back when you have a moment.',
  },
  ben: {
    introduces: 'Hello, my name is Ben. It is about the electricity of your company.',
    asks_time: 'Do you have a minute for me?',
    offers: 'Show us one bill, and tomorrow you will have a fixed price.',
    asks_sites: 'May I ask how many sites you have?',
    asks_decides: 'Is it you who signs such a contract?',
    asks_contract: 'Until when are you tied to the one you have?',
    plans: 'Then this is the moment. Our price would hold until that day.',
    saves: 'We have saved others in your street about ten percent.',
    owes: 'It costs nothing to find out.',
    mails: 'Of course, I will write to you right away.',
    asks_later: 'What suits you better, tomorrow or next week?',
    closes: 'Perfect, I have made a note. Have a nice day, and goodbye.',
    missed: 'You can reach me at this number until five. I will also try again tomorrow.',
  },
} satisfies Record<string, Record<string, string>>;

export type Person = keyof typeof PEOPLE;
export type Agent = keyof typeof AGENTS;
export type Pitch = keyof (typeof AGENTS)['amara'];

/** Digits as a test line says them back. */
export const DIGITS: Record<string, string> = {
  0: 'zero',
  1: 'one',
  2: 'two',
  3: 'three',
  4: 'four',
  5: 'five',
  6: 'six',
  7: 'seven',
  8: 'eight',
  9: 'nine',
  '*': 'star',
  '#': 'hash',
};
