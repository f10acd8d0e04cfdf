// The half of the PowerShell script that is the same whatever the commands are: finding the place on the line,
// and offering what goes on from what was typed. It compares words, calls the tables in `powershell.ts`, and asks the
// program.

export const powershellEngine = `    # What this machine may know: pairs of a value and a word. Only plain words go along, for the program may be a
    # batch file, whose shell would take others for more than words.
    function Ask([string] $what) {
        $plain = @($words | Where-Object { $_ -cmatch '^[\\w=:./-]+$' })
        $lines = @(social __complete $what @plain 2>$null)
        foreach ($line in $lines) {
            $value, $text = "$line" -split "\`t", 2
            if ("$text" -eq '') { $text = $value }
            if ("$value" -ne '') { , @("$before$value", $text) }
        }
    }

    $place = ''
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
        if ("$wanted" -clike '<ask:*>') {
            $candidates = @(Ask ("$wanted".Substring(5).TrimEnd('>')))
        } else {
            $candidates = @($wanted | Where-Object { $_ -cne '<value>' } | ForEach-Object { , @("$before$_", $_) })
        }
    } elseif ($typed.StartsWith('-') -and -not $only) {
        $candidates = @(Flags $place)
        $kind = 'ParameterName'
    } else {
        $candidates = @(if ($operands -eq 0 -and -not $only) { Offers $place })
        $asks = @(Asks $place)
        $last = $asks.Count - 1
        if ($last -ge 0 -and $asks[$last] -ceq '*') {
            $at = [Math]::Min($operands, $last - 1)
        } else {
            $at = $operands
        }
        if ($at -le $last -and $asks[$at] -cne '') { $candidates += @(Ask $asks[$at]) }
    }
    $found = @($candidates | Where-Object { $_[0].StartsWith($typed, [System.StringComparison]::Ordinal) })
    # An empty text keeps PowerShell from offering files where an id is wanted.
    if ($found.Count -eq 0) { return '' }
    $found | ForEach-Object {
        [System.Management.Automation.CompletionResult]::new($_[0], $_[0], $kind, $_[1])
    }
`;
