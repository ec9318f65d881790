import { Client } from 'pg';

/** Several hosts stand in one address with commas, as libpq writes them; the driver reads one, so we choose ourselves. */

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/is;

/** One address for each host: `postgresql://user:password@a:5432,b:5432/leadline` is two. */
export function hostsOf(url: string): string[] {
  const [, before = '', hosts = '', after = ''] = PARTS.exec(url) ?? [];
  return before === '' ? [url] : hosts.split(',').map((host) => `${before}${host.trim()}${after}`);
}

/** An address without its password. */
export function describe(url: string): string {
  const addresses = hostsOf(url).map((one) => new URL(one));
  const [{ pathname, searchParams }] = addresses as [URL];
  return `${searchParams.get('host') ?? addresses.map(({ host }) => host).join(',')}${pathname}`;
}

/** It answers, but takes no changes: a standby, or a primary that was told so. */
export class ReadOnly extends Error {
  override name = 'ReadOnly';

  constructor() {
    super('it can only be read just now');
  }
}

/** A connection to a host that can be written to; throws why there is none. */
export async function connectToWritable(url: string, patience: number, name = 'leadline'): Promise<Client> {
  const client = new Client({
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: patience,
    query_timeout: patience,
    keepAlive: true,
  });
  // A connection that breaks while idle is told here, and would otherwise end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    await demandWritable(client);
    return client;
  } catch (error) {
    letGo(client);
    throw error;
  }
}

export async function demandWritable(client: Client): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>('show transaction_read_only');
  if (rows[0]?.transaction_read_only !== 'off') throw new ReadOnly();
}

/** At once: a host that does not answer does not take leave either. */
export function letGo(client: Client): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}
