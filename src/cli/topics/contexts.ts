// `help contexts`: what a context is, what goes with it, and which of several counts.

export function contexts(): readonly string[] {
  return [
    'Contexts',
    '',
    'A context is a service by name: its address, a token, and defaults. sandbox is built in.',
    '',
    '  social auth login -C prod --base-url <url>  make one, and keep its token',
    '  social context set prod --protected         change it: address, defaults',
    '  social context use prod                     when none is named',
    '  social context list                         all of them',
    '  social -C staging posts get <id>            this one, for one call',
    '',
    'Which one counts: -C, then SOCIAL_CONTEXT, then the one in use. What is kept in it gives way to a flag and to a variable: --base-url, then SOCIAL_BASE_URL, then the address of the context.',
    '',
    'Which token counts: SOCIAL_TOKEN, then SOCIAL_TOKEN_FILE, then the context’s --token-command (a password manager, run without a shell), then the stored one. A stored token, a token file and what a token command prints go to the origin of their context and nowhere else; every token goes over https only, or to this machine. social auth status tells which one won, and why.',
    '',
    'In a protected context every change asks first. --yes answers, except before deleting and disabling: there the id is typed, or given with --confirm.',
    '',
    'Names are 1 to 32 letters, digits, - and _.',
  ];
}
