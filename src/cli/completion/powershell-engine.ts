// The half of the PowerShell script that is the same whatever the commands are: finding the place on the line,
// and offering what goes on from what was typed. It only compares words, and calls the tables in `powershell.ts`.

export const powershellEngine = `    $place = ''
    $wanted = $null
    $operands = 0
    $only = $false
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        ForEach-Object { $_.Extent.Text })
    foreach ($word in $words) {
        if ($null -ne $wanted) { $wanted = $null; continue }
        if (-not $only -and $word -ceq '--') { $only = $true; continue }
        if (-not $only -and $word -clike '--*=*') { continue }
        if (-not $only -and $word -clike '-?*') { $wanted = Value $place $word; continue }
        $next = if ($only) { '' } else { Step ("$place $word".Trim()) }
        if ($next -ne '') { $place = $next } else { $operands += 1 }
    }

    $typed = "$wordToComplete"
    $before = ''
    $kind = 'ParameterValue'
    if ($null -eq $wanted -and -not $only -and $typed -clike '--*=*') {
        $flag = $typed.Substring(0, $typed.IndexOf('='))
        $wanted = Value $place $flag
        $before = "$flag="
    }
    if ($null -ne $wanted) {
        # Where nothing is returned PowerShell offers files.
        if ("$wanted" -ceq '<files>') { return }
        $candidates = @($wanted | Where-Object { $_ -cne '<value>' } | ForEach-Object { , @("$before$_", $_) })
    } elseif ($typed.StartsWith('-') -and -not $only) {
        $candidates = @(Flags $place)
        $kind = 'ParameterName'
    } elseif ($operands -eq 0 -and -not $only) {
        $candidates = @(Offers $place)
    } else {
        $candidates = @()
    }
    $found = @($candidates | Where-Object { $_[0].StartsWith($typed, [System.StringComparison]::Ordinal) })
    # An empty text keeps PowerShell from offering files where an id is wanted.
    if ($found.Count -eq 0) { return '' }
    $found | ForEach-Object {
        [System.Management.Automation.CompletionResult]::new($_[0], $_[0], $kind, $_[1])
    }
`;
