//! What is measured: a key-exchange group, whose ML-KEM it is, where its key pairs come from.

use crate::certs::{Identity, Kind};
use crate::graviola::graviola;
use lanekem::one_time::tch::Tch;
use lanekem::one_time::th::Th;
use lanekem::{MlKem512, MlKem768, MlKem1024, ParameterSet};
use lanekem_rustls::one_time::{OneTime, OneTimeHybrid};
use lanekem_rustls::{Filler, Pool, Pools, extend_with_pools};
use rustls::crypto::{SupportedKxGroup, aws_lc_rs};
use rustls::{ClientConfig, NamedGroup, ServerConfig};
use std::error::Error;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

const CAPACITY: usize = 64;
/// Longer than a row pauses between two blocks.
const MAX_AGE: Duration = Duration::from_secs(600);
/// Longer than a filler takes for a batch.
const BATCH_TIME: Duration = Duration::from_micros(300);

/// How a client of lanekem gets its key pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pooled {
    None,
    Inline,
    Filler,
}

impl Pooled {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Inline => "inline",
            Self::Filler => "filler",
        }
    }
}

/// A row's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    pub(crate) group: &'static str,
    code_point: u16,
    /// Whose group it is.
    pub(crate) by: &'static str,
    /// Whose classical groups, ciphers and signatures go with it.
    pub(crate) provider: &'static str,
    pub(crate) pool: Pooled,
    pub(crate) cert: Kind,
}

impl Label {
    fn words(&self) -> [&'static str; 5] {
        [self.group, self.by, self.provider, self.pool.name(), self.cert.name()]
    }

    pub(crate) fn matches(&self, words: &str) -> bool {
        let has = |word: &str| self.words().iter().any(|own| own.eq_ignore_ascii_case(word));
        words.split_whitespace().all(has)
    }

    pub(crate) fn is_classical(&self) -> bool {
        CLASSICAL.iter().any(|(group, _)| *group == self.group)
    }

    /// The row without ML-KEM that this one is compared with: its classical half, or X25519.
    pub(crate) fn is_base_of(&self, other: &Self) -> bool {
        let classical = match other.group {
            "SecP256r1MLKEM768" | "P-256" => "P-256",
            "SecP384r1MLKEM1024" | "P-384" => "P-384",
            _ => "X25519",
        };
        self.group == classical && self.provider == other.provider && self.cert == other.cert
    }
}

const CLASSICAL: [(&str, u16); 3] = [("X25519", 0x001d), ("P-256", 0x0017), ("P-384", 0x0018)];
const OURS: [(&str, u16); 6] = [
    ("X25519MLKEM768", 0x11ec),
    ("SecP256r1MLKEM768", 0x11eb),
    ("SecP384r1MLKEM1024", 0x11ed),
    ("MLKEM512", 0x0200),
    ("MLKEM768", 0x0201),
    ("MLKEM1024", 0x0202),
];
/// One-time KEMs in the place of ML-KEM.
const ONE_TIME: [(&str, u16); 5] = [
    ("X25519+T_H-768", 0xfeec),
    ("T_H-512", 0xfe00),
    ("T_H-768", 0xfe01),
    ("T_H-1024", 0xfe02),
    ("T_CH-768", 0xfe11),
];
const AWS: &str = "aws-lc-rs";
const GRAVIOLA: &str = "graviola";
const LANEKEM: &str = "lanekem";

/// All rows that this machine can run.
pub(crate) fn labels(kinds: &[Kind]) -> Vec<Label> {
    let mut labels = Vec::new();
    for &cert in kinds {
        let mut add = |provider, by, (group, code_point), pool| {
            labels.push(Label { group, code_point, by, provider, pool, cert });
        };
        for group in CLASSICAL {
            add(AWS, AWS, group, Pooled::None);
        }
        for group in OURS {
            // What the aws-lc-rs provider has.
            if !["MLKEM512", "SecP384r1MLKEM1024"].contains(&group.0) {
                add(AWS, AWS, group, Pooled::None);
            }
            for pool in [Pooled::None, Pooled::Inline, Pooled::Filler] {
                add(AWS, LANEKEM, group, pool);
            }
        }
        for group in ONE_TIME {
            add(AWS, LANEKEM, group, Pooled::None);
        }
        if graviola().is_some() {
            add(GRAVIOLA, GRAVIOLA, CLASSICAL[0], Pooled::None);
            add(GRAVIOLA, GRAVIOLA, OURS[0], Pooled::None);
            add(GRAVIOLA, LANEKEM, OURS[0], Pooled::None);
        }
    }
    labels
}

/// The groups of [`ONE_TIME`], with aws-lc-rs's randomness as the others have it.
fn one_time() -> [&'static dyn SupportedKxGroup; 5] {
    let random = aws_lc_rs::default_provider().secure_random;
    let hybrid = OneTimeHybrid::x25519(aws_lc_rs::kx_group::X25519).with_random(random);
    [
        Box::leak(Box::new(hybrid)),
        Box::leak(Box::new(OneTime::<MlKem512, Th>::new().with_random(random))),
        Box::leak(Box::new(OneTime::<MlKem768, Th>::new().with_random(random))),
        Box::leak(Box::new(OneTime::<MlKem1024, Th>::new().with_random(random))),
        Box::leak(Box::new(OneTime::<MlKem768, Tch>::new().with_random(random))),
    ]
}

/// A row ready to be run.
pub(crate) struct Row {
    pub(crate) label: Label,
    pub(crate) group: NamedGroup,
    pub(crate) client: Arc<ClientConfig>,
    pub(crate) server: Arc<ServerConfig>,
    filled: Option<Filled>,
}

impl Row {
    pub(crate) fn new(label: Label, identity: &Identity) -> Result<Self, Box<dyn Error>> {
        let mut provider = match label.provider {
            AWS => aws_lc_rs::default_provider(),
            _ => graviola().ok_or("graviola does not run here")?,
        };
        let mut filled = None;
        if label.by == LANEKEM {
            let pools;
            (pools, filled) = match label.code_point {
                0x0200 => {
                    let (pool, filled) = pool::<MlKem512>(label.pool)?;
                    (Pools { mlkem512: pool, ..Pools::default() }, filled)
                }
                0x11ed | 0x0202 => {
                    let (pool, filled) = pool::<MlKem1024>(label.pool)?;
                    (Pools { mlkem1024: pool, ..Pools::default() }, filled)
                }
                _ => {
                    let (pool, filled) = pool::<MlKem768>(label.pool)?;
                    (Pools { mlkem768: pool, ..Pools::default() }, filled)
                }
            };
            provider = extend_with_pools(provider, pools);
            provider.kx_groups.extend(one_time());
        } else if label.provider == AWS {
            provider.kx_groups = aws_lc_rs::ALL_KX_GROUPS.to_vec();
        }
        let group = NamedGroup::from(label.code_point);
        provider.kx_groups.retain(|known| known.name() == group);
        provider.kx_groups.truncate(1);
        if provider.kx_groups.is_empty() {
            return Err(format!("{} has no {}", label.by, label.group).into());
        }
        let provider = Arc::new(provider);

        let versions = [&rustls::version::TLS13];
        let mut client = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(&versions)?
            .with_root_certificates(identity.roots.clone())
            .with_no_client_auth();
        client.resumption = rustls::client::Resumption::disabled();
        let mut server = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&versions)?
            .with_no_client_auth()
            .with_single_cert(vec![identity.certificate.clone()], identity.key()?)?;
        server.send_tls13_tickets = 0;
        server.session_storage = Arc::new(rustls::server::NoServerSessionStorage {});
        Ok(Self { label, group, client: client.into(), server: server.into(), filled })
    }

    pub(crate) fn has_filler(&self) -> bool {
        self.filled.is_some()
    }

    /// Waits until a filler has caught up, so that it does not work at the expense of the next row.
    pub(crate) fn settle(&self) {
        let Some(filled) = &self.filled else { return };
        let start = Instant::now();
        let mut before = usize::MAX;
        // The limit is for a filler that never comes to rest.
        while (filled.len)() != before && start.elapsed() < Duration::from_secs(1) {
            before = (filled.len)();
            thread::sleep(BATCH_TIME);
        }
    }
}

struct Filled {
    len: Box<dyn Fn() -> usize + Send + Sync>,
    /// Runs for as long as the row is there.
    _filler: Filler,
}

type Leaked<P> = Option<&'static Pool<P>>;

/// A pool for one row alone, and what fills it.
fn pool<P: ParameterSet>(pooled: Pooled) -> Result<(Leaked<P>, Option<Filled>), Box<dyn Error>> {
    if pooled == Pooled::None {
        return Ok((None, None));
    }
    let pool: &'static Pool<P> = Box::leak(Box::new(Pool::new(CAPACITY, MAX_AGE)));
    let filled = match pooled {
        Pooled::Filler => {
            let filler = pool.start_filler(CAPACITY / 2, CAPACITY, getrandom::SysRng)?;
            Some(Filled { len: Box::new(|| pool.len()), _filler: filler })
        }
        _ => None,
    };
    Ok((Some(pool), filled))
}
