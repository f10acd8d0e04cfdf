// The command lines that an output offers to a person or a script.

/** Returns the lines to paste from an output: commands, after a label or in a cell, and the texts of advising fields. */
export function linesToPaste({
  stdout,
  stderr,
}: {
  readonly stdout: string;
  readonly stderr: string;
}): readonly string[] {
  const text = `${stderr}\n${stdout}`;
  const fields = [...text.matchAll(/"(?:next|fix|hint)": ?("(?:[^"\\]|\\.)*")/g)].flatMap(
    ([, quoted]) => (JSON.parse(quoted!) as string).split('\n'),
  );
  const shown = text
    .split('\n')
    .filter((line) => !/^[{[]/.test(line))
    .flatMap((line) => line.split('\t'))
    .filter((cell) => /(?:^|: )social (?!\d)/.test(cell));
  const all = [...fields, ...shown];
  return [...new Set(all.map((line) => line.replace(/^.*?: (?=social )/, '')))];
}
