import { hasBouncer, startBouncer } from '../bouncer.ts';
import type { Server } from './cluster.ts';
import { keep } from './scenario.ts';

// Those of docs/faults.md: a server that is away is told within seconds, instead of the two minutes that are usual.
const SETTINGS = {
  max_client_conn: 300,
  default_pool_size: 40,
  server_login_retry: 1,
  server_connect_timeout: 2,
  query_wait_timeout: 5,
};

/** One PgBouncer in front of each server, and their addresses in one; without PgBouncer, the servers themselves. */
export async function bounce(servers: Server[]): Promise<string> {
  if (!hasBouncer) return joinHosts(servers.map((server) => server.url()));
  const bouncers = await Promise.all(servers.map((server) => startBouncer(server.url(), SETTINGS)));
  for (const { pid } of bouncers) keep(pid);
  return joinHosts(bouncers.map(({ url }) => url));
}

/** Several servers in one address, as libpq writes it. */
export function joinHosts(urls: string[]): string {
  const hosts = urls.map((url) => new URL(url).host);
  return urls[0]!.replace(hosts[0]!, hosts.join(','));
}
