import { complain, pathOf, type BuildContext } from './build-parts.ts';
import type { ReplicaConfig } from './config.ts';
import { Secret } from './secret.ts';
import type { SettingName, Values } from './settings.ts';

/** Settings that belong to one kind of place. */
const PLACES: readonly (readonly [SettingName, string])[] = [
  ['replicaSshKey', 'sftp:'],
  ['replicaKnownHosts', 'sftp:'],
  ['replicaEndpoint', 's3:'],
  ['replicaRegion', 's3:'],
];

/** Where the replica is; null for none. */
export function replicaConfig(values: Values, context: BuildContext): ReplicaConfig | null {
  const { replicaUrl, replicaSshKey, replicaKnownHosts, replicaEndpoint } = values;
  for (const [name, protocol] of PLACES) {
    if (values[name] !== undefined && replicaUrl?.protocol !== protocol)
      complain(context, name, `is of no use without ${protocol}// in TILLD_REPLICA_URL`);
  }
  if (replicaUrl === undefined) return null;
  if (replicaUrl.protocol === 'sftp:' && replicaKnownHosts === undefined)
    complain(
      context,
      'replicaKnownHosts',
      'is needed for sftp:// in TILLD_REPLICA_URL: a file with the lines of ssh-keyscan HOST, whose fingerprints you compared',
    );
  return {
    url: new Secret(replicaUrl.href),
    sshKeyFile: replicaSshKey === undefined ? null : pathOf(replicaSshKey, context),
    knownHostsFile: replicaKnownHosts === undefined ? null : pathOf(replicaKnownHosts, context),
    s3Endpoint: replicaEndpoint?.href.replace(/\/+$/, '') ?? null,
    s3Region: values.replicaRegion ?? null,
    maxLagMs: values.replicaMaxLag,
  };
}
