// The query names that the API document does not show. This is the one place that assumes them:
// the request, the help and the sandbox read it here, and `--query name=value` overrides any.

/** Input field → the query name under which it is assumed to travel. */
export const assumedQueryNames: Readonly<Record<string, string>> = {
  accountId: 'accountId',
  subreddit: 'subreddit',
};

/** The wire name of a query field. */
export const queryName = (field: string): string => assumedQueryNames[field] ?? field;

/** The sentence that help shows for operations with such a name. */
export function assumption(field: string): string {
  const name = queryName(field);
  return `the query name ${name} is not in the API document; --query <name>=<value> adds or overrides it`;
}
