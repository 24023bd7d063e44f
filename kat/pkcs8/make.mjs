// Writes the key files beside this script: `node make.mjs`, with Node 24.7.0 (OpenSSL 3.5.2).
// Later versions of Node pin OpenSSL's choice of private-key form to the seed.

import { spawnSync } from 'node:child_process';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Our name of a form, and that of OpenSSL's provider parameter `ml-kem.output_formats`.
const forms = { seed: 'seed-only', expanded: 'priv-only', both: 'seed-priv' };
const sets = { 512: 1, 768: 2, 1024: 3 };

function key(set) {
  const header = `3054020100300b06096086480165030404${'0' + sets[set]}04428040`;
  const seed = Buffer.from(Array.from({ length: 64 }, (_, i) => i));
  const der = Buffer.concat([Buffer.from(header, 'hex'), seed]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

function write(set, name, key, type) {
  for (const format of ['der', 'pem']) {
    const file = new URL(`mlkem${set}-${name}.${format}`, import.meta.url);
    writeFileSync(file, key.export({ format, type }));
  }
}

const form = process.argv[2];
if (form) {
  for (const set in sets) {
    write(set, form, key(set), 'pkcs8');
    if (form === 'seed') write(set, 'public', createPublicKey(key(set)), 'spki');
  }
} else {
  const dir = mkdtempSync(join(tmpdir(), 'mlkem-'));
  for (const [form, format] of Object.entries(forms)) {
    const config = join(dir, form);
    const lines = ['nodejs_conf = c', '[c]', 'providers = p', '[p]', 'default = d', '[d]'];
    lines.push('activate = 1', `ml-kem.output_formats = ${format}`, '');
    writeFileSync(config, lines.join('\n'));
    const args = [`--openssl-config=${config}`, fileURLToPath(import.meta.url), form];
    const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
    if (status !== 0) throw new Error(`${form}: status ${status}`);
  }
  rmSync(dir, { recursive: true });
}
