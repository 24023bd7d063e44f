// OpenSSL's side of `openssl_reads_what_is_written` in pkcs8_openssl.rs: cases in on stdin, answers out.

import { createPrivateKey, createPublicKey, decapsulate, encapsulate } from 'node:crypto';
import { readFileSync } from 'node:fs';

const unhex = (text) => Buffer.from(text, 'hex');
const same = (a, b) => {
  if (!a.equals(b)) throw new Error('DER and PEM give different keys');
  return a;
};

const answers = JSON.parse(readFileSync(0, 'utf8')).map((c) => {
  const dk = same(
    createPrivateKey({ key: unhex(c.private_der), format: 'der', type: 'pkcs8' }),
    createPrivateKey(c.private_pem),
  );
  const ek = same(
    createPublicKey({ key: unhex(c.public_der), format: 'der', type: 'spki' }),
    createPublicKey(c.public_pem),
  );
  same(ek, createPublicKey(c.private_pem));
  const { ciphertext, sharedKey } = encapsulate(ek);
  return {
    decapsulated: decapsulate(dk, unhex(c.ciphertext)).toString('hex'),
    ciphertext: ciphertext.toString('hex'),
    secret: sharedKey.toString('hex'),
    private_der: dk.export({ format: 'der', type: 'pkcs8' }).toString('hex'),
  };
});
process.stdout.write(JSON.stringify(answers));
