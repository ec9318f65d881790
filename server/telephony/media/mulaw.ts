const BIAS = 132;
const CLIP = 32_635;

/** What each byte of G.711 μ-law stands for, as 16 bits. */
export const DECODED = Int16Array.from({ length: 256 }, (_, byte) => {
  const bits = ~byte & 0xff;
  const size = (((bits & 0x0f) << 3) + BIAS) << ((bits >> 4) & 7);
  return bits & 0x80 ? BIAS - size : size - BIAS;
});

/** Nothing is said. */
export const SILENT_BYTE = 0xff;

export function encodeSample(sample: number): number {
  const size = Math.min(Math.abs(Math.round(sample)), CLIP) + BIAS;
  const exponent = 24 - Math.clz32(size);
  return ~((sample < 0 ? 0x80 : 0) | (exponent << 4) | ((size >> (exponent + 3)) & 0x0f)) & 0xff;
}
