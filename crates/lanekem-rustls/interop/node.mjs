// Node's TLS (OpenSSL) as a peer: the protocol is in peer/src/lib.rs.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import tls from 'node:tls';

const TIMEOUT = 20_000;
const answer = (line) => process.stdout.write(`${line}\n`);
const options = (groups) => ({
  ecdhCurve: groups,
  minVersion: 'TLSv1.3',
});

let server;
function serve(certificate, key, groups) {
  server?.close();
  server = tls.createServer(
    { ...options(groups), cert: readFileSync(certificate), key: readFileSync(key) },
    (socket) => {
      socket.setNoDelay(true);
      socket.setTimeout(TIMEOUT, () => socket.destroy());
      socket.on('error', (error) => console.error(`server: ${error.message.trim()}`));
      socket.pipe(socket);
    },
  );
  server.on('tlsClientError', (error) => console.error(`server: ${error.message.trim()}`));
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      answer(`port ${server.address().port}`);
      resolve();
    });
  });
}

async function connect(port, certificate, groups, count, how) {
  const ca = readFileSync(certificate);
  let session;
  for (let i = 0; i < Number(count); i++) {
    const made = await once({ ...options(groups), port: Number(port), ca, session }, i);
    answer(`connected ${made.group} ${made.resumed ? 'resumed' : 'full'}`);
    session = how === 'resume' ? made.session : undefined;
  }
  answer('done');
}

// One connection: what it sent must come back.
function once(how, salt) {
  return new Promise((resolve, reject) => {
    const sent = Buffer.alloc(20_000);
    for (let i = 0; i < sent.length; i += 4) sent.writeUInt32LE(Math.imul(i + salt, 0x9e3779b9) >>> 0, i);
    const received = [];
    let length = 0;
    let made;
    const socket = tls.connect({ ...how, host: '127.0.0.1', servername: 'localhost' }, () => {
      socket.setNoDelay(true);
      made = { group: socket.getEphemeralKeyInfo().name, resumed: socket.isSessionReused() };
      socket.write(sent);
    });
    socket.setTimeout(TIMEOUT, () => socket.destroy(new Error('timed out')));
    socket.on('session', (session) => { made.session = session; });
    socket.on('data', (data) => {
      received.push(data);
      length += data.length;
      if (length >= sent.length) socket.end();
    });
    socket.on('error', reject);
    socket.on('close', () => {
      if (Buffer.concat(received).equals(sent)) resolve(made);
      else reject(new Error('other data came back'));
    });
  });
}

answer(`hello Node ${process.versions.node}, OpenSSL ${process.versions.openssl}`);
for await (const line of createInterface({ input: process.stdin })) {
  const [what, ...words] = line.split(' ');
  try {
    await { serve, connect }[what](...words);
  } catch (error) {
    answer(`failed ${error.message.trim().replaceAll('\n', ' ')}`);
  }
}
process.exit();
