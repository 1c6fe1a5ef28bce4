import { generateKeyPairSync, sign } from 'node:crypto';

/** A certificate that vouches for itself, and its key, both in PEM form. */
export interface Certified {
  readonly certificate: string;
  readonly key: string;
}

/** A certificate for these names: who trusts it needs no other. */
export function certify(...names: readonly string[]): Certified {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ecdsaWithSha256 = element(0x30, objectId('2a8648ce3d040302'));
  const name = element(0x30, element(0x31, element(0x30, objectId('550403'), element(0x0c, Buffer.from(names[0]!)))));
  const times = ['20250101000000Z', '29990101000000Z'].map((time) => element(0x18, Buffer.from(time)));
  const alternatives = element(0x30, ...names.map((dns) => element(0x82, Buffer.from(dns))));
  const extension = element(0x30, objectId('551d11'), element(0x04, alternatives));
  const content = element(
    0x30,
    element(0xa0, element(0x02, Buffer.from([2]))),
    element(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    element(0x30, ...times),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, element(0x30, extension)),
  );
  const signature = element(0x03, Buffer.from([0]), sign('sha256', content, privateKey));
  const body = element(0x30, content, ecdsaWithSha256, signature).toString('base64');
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${body.match(/.{1,64}/g)!.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}

/** One element of ASN.1 in DER. */
function element(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

function objectId(hex: string): Buffer {
  return element(0x06, Buffer.from(hex, 'hex'));
}
