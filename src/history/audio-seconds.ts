import { bigEndian, type Bytes, littleEndian, standsAt } from './base64-bytes.ts';

/** How long a recording takes to play; undefined where the file does not say it in a way that we read (WAV, MP3). */
export function audioSeconds(bytes: Bytes): number | undefined {
  const seconds = wavSeconds(bytes) ?? mp3Seconds(bytes);
  return seconds === undefined || !Number.isFinite(seconds) ? undefined : seconds;
}

function wavSeconds(bytes: Bytes): number | undefined {
  if (!standsAt(bytes, 0, 'RIFF') || !standsAt(bytes, 8, 'WAVE')) return undefined;
  let bytesPerSecond: number | undefined;
  for (let at = 12; at + 8 <= bytes.length;) {
    const length = littleEndian(bytes, at + 4, 4);
    if (standsAt(bytes, at, 'fmt ')) bytesPerSecond = littleEndian(bytes, at + 16, 4);
    // A recording that was streamed claims more than there is.
    if (standsAt(bytes, at, 'data')) {
      return bytesPerSecond === undefined ? undefined : Math.min(length, bytes.length - at - 8) / bytesPerSecond;
    }
    at += 8 + length + (length % 2);
  }
  return undefined;
}

/** Layer III only. Kilobits per second by the index in a frame's header. */
const version1Rates = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const version2Rates = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const sampleRates = [44_100, 48_000, 32_000];

/** Frames may differ in their bit rate, so they are walked. */
function mp3Seconds(bytes: Bytes): number | undefined {
  let at = standsAt(bytes, 0, 'ID3') ? 10 + tagLength(bytes) : 0;
  let seconds = 0;
  for (let frame = mp3Frame(bytes, at); frame !== undefined; frame = mp3Frame(bytes, at)) {
    seconds += frame.seconds;
    at += frame.length;
  }
  return seconds === 0 ? undefined : seconds;
}

/** Seven bits to a byte. */
function tagLength(bytes: Bytes): number {
  return [6, 7, 8, 9].reduce((length, at) => length * 128 + (bytes.at(at) & 0x7f), 0);
}

function mp3Frame(bytes: Bytes, at: number): { readonly seconds: number; readonly length: number } | undefined {
  const header = bigEndian(bytes, at, 4);
  const [sync, version, layer] = [header >>> 21, (header >>> 19) & 3, (header >>> 17) & 3];
  if (sync !== 0x7ff || version === 1 || layer !== 1) return undefined;
  const kilobits = (version === 3 ? version1Rates : version2Rates)[(header >>> 12) & 15];
  const fullRate = sampleRates[(header >>> 10) & 3];
  if (kilobits === undefined || kilobits === 0 || fullRate === undefined) return undefined;
  const rate = fullRate / (version === 3 ? 1 : version === 2 ? 2 : 4);
  const samples = version === 3 ? 1152 : 576;
  return { seconds: samples / rate, length: Math.floor((samples * kilobits * 125) / rate) + ((header >>> 9) & 1) };
}
