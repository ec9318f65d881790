import type { Service } from './service.ts';
import { walkDesk } from './states/desk.ts';
import { walkDoor } from './states/door.ts';
import { walkImports } from './states/imports.ts';
import { walkFilters, walkLeads, walkLeadTable } from './states/leads.ts';
import { walkLists, walkSettings } from './states/lists.ts';
import { walkManage } from './states/manage.ts';
import type { Look } from './states/walk.ts';

/** Every page and every state of it, one after the other, in one browser. */
export async function walkStates(service: Service, look: Look): Promise<void> {
  await walkDesk(service, look);
  await walkLeads(service, look);
  await walkLeadTable(service, look);
  await walkFilters(service, look);
  await walkLists(service, look);
  await walkSettings(service, look);
  await walkImports(service, look);
  await walkManage(service, look);
  await walkDoor(service, look);
}
