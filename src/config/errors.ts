/** One problem of the configuration, with its location. */
export interface ConfigProblem {
  /** The variable; null for a key of the file that is not a setting. */
  readonly variable: string | null;
  /** Dotted path in the YAML file; null for settings that only the environment has. */
  readonly path: string | null;
  readonly message: string;
}

/** The configuration is invalid. Lists every problem, not only the first. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[], file: string) {
    super(
      [
        `the configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`} (file ${file}):`,
        ...problems.map((problem) => `  - ${describe(problem)}`),
      ].join('\n'),
    );
    this.problems = problems;
  }
}

function describe({ variable, path, message }: ConfigProblem): string {
  const names = [variable, path === null ? null : variable === null ? path : `${path} in the file`];
  const [first, second] = names.filter((name) => name !== null);
  if (first === undefined) return message;
  return second === undefined ? `${first}: ${message}` : `${first} (${second}): ${message}`;
}
