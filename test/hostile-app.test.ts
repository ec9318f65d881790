import { beHostile } from './hostile.ts';

await beHostile((url) => url.startsWith('/app/'));
