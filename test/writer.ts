import { Client } from 'pg';

const TABLE = 'create table if not exists writes (id bigint primary key, text text not null)';

/** The table alone. */
export async function prepareWrites(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(TABLE);
  await client.end();
}

/** Writes rows one after another and remembers those the database acknowledged. */
export async function startWriter(url: string) {
  const client = new Client({ connectionString: url });
  // Being cut off is what it is here for.
  client.on('error', () => {});
  await client.connect();
  await client.query(TABLE);
  const { rows } = await client.query<{ last: string }>('select coalesce(max(id), 0) as last from writes');
  let acknowledged = Number(rows[0]!.last);
  let writing = true;

  const written = (async () => {
    while (writing) {
      try {
        await client.query("insert into writes values ($1, repeat('x', 100))", [acknowledged + 1]);
        acknowledged += 1;
      } catch {
        return;
      }
    }
  })();

  return {
    acknowledged: () => acknowledged,
    async stop() {
      writing = false;
      await written;
      await client.end().catch(() => {});
    },
  };
}

export type Tally = { count: number; highest: number; checksum: string };

/** Ids run without a gap from 1, so `count` and `highest` are equal unless something was lost. */
export async function tallyWrites(url: string, upTo = Number.MAX_SAFE_INTEGER): Promise<Tally> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ count: string; highest: string; checksum: string }>(
    `select count(*) as count, max(id) as highest, sum(hashtextextended(w::text, 0))::text as checksum
       from writes w where id <= $1`,
    [upTo],
  );
  await client.end();
  const { count, highest, checksum } = rows[0]!;
  return { count: Number(count), highest: Number(highest), checksum };
}
