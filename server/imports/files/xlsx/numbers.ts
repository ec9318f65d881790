import type { Format } from './formats.ts';

/** A number of a cell, as whoever looks at the sheet reads it. */
export function showNumber(written: string, format: Format | undefined, since1904: boolean): string {
  if (!format || format.as === 'number') {
    const plain = showPlain(written);
    return format?.digits && /^\d+$/.test(plain) ? plain.padStart(format.digits, '0') : plain;
  }
  const value = Number(written);
  if (!Number.isFinite(value) || written.trim() === '' || value < 0 || value >= LAST_DAY) return showPlain(written);
  if (format.as === 'duration') return showTime(Math.round(value * DAY_SECONDS));
  if (value < 1 && format.as === 'time') return showTime(Math.round(value * DAY_SECONDS) % DAY_SECONDS);
  return showDay(value, since1904, format.as === 'time' || format.hasTime === true);
}

const DAY_SECONDS = 86_400;
/** After the 31st of December 9999. */
const LAST_DAY = 2_958_466;

/** Spreadsheets reckon with fifteen digits; what lies behind is noise. A phone number that is written 4.5E+10 has eleven digits. */
function showPlain(written: string): string {
  const text = written.trim();
  if (/^-?\d+$/.test(text)) return text;
  const value = Number(text);
  if (!Number.isFinite(value) || text === '') return text;
  const rounded = Number(value.toPrecision(15));
  const shown = String(rounded);
  if (!shown.includes('e')) return shown;
  const [digits, power] = Math.abs(rounded).toExponential().split('e');
  const sign = rounded < 0 ? '-' : '';
  const bare = digits!.replace('.', '');
  return Number(power) > 0
    ? `${sign}${bare.padEnd(Number(power) + 1, '0')}`
    : `${sign}0.${'0'.repeat(-Number(power) - 1)}${bare}`;
}

function showTime(seconds: number): string {
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const time = `${two(hours)}:${two(minutes)}`;
  return rest === 0 ? time : `${time}:${two(rest)}`;
}

const two = (number: number): string => String(number).padStart(2, '0');

/** Days are counted from the turn of 1900, with a 29th of February that year never had; on old Macs from 1904. */
function showDay(value: number, since1904: boolean, withTime: boolean): string {
  const first = since1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, value < 60 ? 31 : 30);
  const seconds = withTime ? Math.round(value * DAY_SECONDS) : Math.floor(value) * DAY_SECONDS;
  const [day, time] = new Date(first + seconds * 1_000).toISOString().slice(0, 19).split('T');
  return !withTime || time === '00:00:00' ? day! : `${day}T${time}`;
}
