/** Reports by RTCP (RFC 3550): by ours the browser knows how much of what it says arrives, and how long the way is. */
export type Reports = {
  received(ssrc: number, sequence: number, timestamp: number, now: number): void;
  sent(timestamp: number, bytes: number): void;
  /** The browser's own report came. */
  reported(report: SenderReport, now: number): void;
  /** Ours, where it is time for one. */
  due(now: number): Buffer | undefined;
};

export type SenderReport = { ssrc: number; ntpMiddle: number };

const EVERY_MS = 2_500;
const SENDER_REPORT = 200;
const RECEIVER_REPORT = 201;
const DESCRIPTION = 202;
const CLOCK_PER_MS = 8;
/** From 1900 to 1970. */
const NTP_OFFSET = 2_208_988_800;

export function readReport(packet: Buffer): SenderReport | undefined {
  if (packet.length < 28 || packet[1] !== SENDER_REPORT) return undefined;
  return { ssrc: packet.readUInt32BE(4), ntpMiddle: packet.readUInt32BE(10) };
}

export function createReports(ours: number): Reports {
  let theirs: { ssrc: number; base: number; highest: number; count: number } | undefined;
  let jitter = 0;
  let transit: number | undefined;
  let before = { expected: 0, count: 0 };
  let last: { ntpMiddle: number; at: number } | undefined;
  let out = { packets: 0, bytes: 0, timestamp: 0, at: 0 };
  let next = 0;

  function block(now: number): Buffer {
    const { ssrc, base, highest, count } = theirs!;
    const expected = highest - base + 1;
    const [lately, arrived] = [expected - before.expected, count - before.count];
    before = { expected, count };
    const lost = Math.max(0, lately - arrived);
    const bytes = Buffer.alloc(24);
    bytes.writeUInt32BE(ssrc, 0);
    bytes.writeUInt8(lately > 0 ? Math.min(255, Math.floor((lost * 256) / lately)) : 0, 4);
    bytes.writeUIntBE(Math.min(0x7f_ffff, Math.max(0, expected - count)), 5, 3);
    bytes.writeUInt32BE(highest >>> 0, 8);
    bytes.writeUInt32BE(Math.round(jitter) >>> 0, 12);
    if (last) {
      bytes.writeUInt32BE(last.ntpMiddle, 16);
      bytes.writeUInt32BE(Math.min(0xffff_ffff, Math.round(((now - last.at) * 65_536) / 1_000)) >>> 0, 20);
    }
    return bytes;
  }

  function header(type: number, count: number, body: Buffer): Buffer {
    const bytes = Buffer.alloc(8);
    bytes.writeUInt8(0x80 | count, 0);
    bytes.writeUInt8(type, 1);
    bytes.writeUInt16BE((8 + body.length) / 4 - 1, 2);
    bytes.writeUInt32BE(ours, 4);
    return Buffer.concat([bytes, body]);
  }

  function senderInfo(now: number): Buffer {
    const bytes = Buffer.alloc(20);
    const wall = Date.now();
    bytes.writeUInt32BE((Math.floor(wall / 1_000) + NTP_OFFSET) >>> 0, 0);
    bytes.writeUInt32BE(Math.floor(((wall % 1_000) / 1_000) * 2 ** 32) >>> 0, 4);
    bytes.writeUInt32BE((out.timestamp + Math.round((now - out.at) * CLOCK_PER_MS)) >>> 0, 8);
    bytes.writeUInt32BE(out.packets >>> 0, 12);
    bytes.writeUInt32BE(out.bytes >>> 0, 16);
    return bytes;
  }

  return {
    received(ssrc, sequence, timestamp, now) {
      if (theirs?.ssrc !== ssrc) {
        theirs = { ssrc, base: sequence, highest: sequence, count: 0 };
        before = { expected: 0, count: 0 };
        transit = undefined;
      }
      const ahead = ((sequence - theirs.highest) << 16) >> 16;
      if (ahead > 0) theirs.highest += ahead;
      theirs.count += 1;
      const way = (now * CLOCK_PER_MS - timestamp) | 0;
      if (transit !== undefined) jitter += (Math.abs((way - transit) | 0) - jitter) / 16;
      transit = way;
    },
    sent(timestamp, bytes) {
      out = { packets: out.packets + 1, bytes: out.bytes + bytes, timestamp, at: out.at };
    },
    reported({ ssrc, ntpMiddle }, now) {
      if (theirs === undefined || theirs.ssrc === ssrc) last = { ntpMiddle, at: now };
    },
    due(now) {
      if (now < next) return undefined;
      next = now + EVERY_MS;
      const blocks = theirs ? block(now) : Buffer.alloc(0);
      const count = theirs ? 1 : 0;
      out.at = now;
      const report =
        out.packets > 0
          ? header(SENDER_REPORT, count, Buffer.concat([senderInfo(now), blocks]))
          : header(RECEIVER_REPORT, count, blocks);
      // Whose stream it is, as a report has to say: cname "line".
      const chunk = Buffer.concat([Buffer.from([1, 4]), Buffer.from('line'), Buffer.from([0, 0])]);
      return Buffer.concat([report, header(DESCRIPTION, 1, chunk)]);
    },
  };
}
