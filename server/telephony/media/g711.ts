/** G.711 μ-law: eight bits for what is heard as well as fourteen (ITU-T G.711). */

const BIAS = 132;
const LOUDEST = 32_635;

/** The sample that a byte stands for. */
export const SAMPLES = new Int16Array(256).map((_, byte) => {
  const flipped = ~byte & 0xff;
  const size = ((((flipped & 0x0f) << 3) + BIAS) << ((flipped & 0x70) >> 4)) - BIAS;
  return flipped & 0x80 ? -size : size;
});

/** The byte that stands for nothing to be heard. */
export const SILENT = 0xff;

export function toByte(sample: number): number {
  const size = Math.min(Math.abs(Math.round(sample)), LOUDEST) + BIAS;
  const exponent = 31 - Math.clz32(size) - 7;
  const byte = (sample < 0 ? 0x80 : 0) | (exponent << 4) | ((size >> (exponent + 3)) & 0x0f);
  return ~byte & 0xff;
}

export const encode = (samples: ArrayLike<number>): Uint8Array => Uint8Array.from(samples, toByte);
