import { queries } from './api.ts';
import { paths } from './paths.ts';
import { sessionQuery } from './session.ts';
import { openDesk } from './work/queries.ts';

// The first lines of the script: the answers are on their way while the browser reads the rest.
void queries.prefetchQuery(sessionQuery);
if (location.pathname === paths.work) void openDesk();
