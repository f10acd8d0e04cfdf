# PowerShell completion for social; written by: social completion powershell
# Asks the program what can follow. Invokes nothing that was typed.
Register-ArgumentCompleter -Native -CommandName social -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $typed = "$wordToComplete" -replace '["'']', ''
    $before = @()
    $after = @()
    foreach ($element in @($commandAst.CommandElements | Select-Object -Skip 1)) {
        if ($element.Extent.EndOffset -lt $cursorPosition) { $before += $element.Extent.Text }
        if ($element.Extent.StartOffset -gt $cursorPosition) { $after += $element.Extent.Text }
    }
    # The program may be a batch file, whose shell takes some characters for more than words and drops empty ones.
    $words = @(@($before) + @($typed) + @($after) | ForEach-Object {
            if ($_ -eq '') { '""' } else { $_ -creplace '[^A-Za-z0-9_=:.,/@-]', '_' }
        })
    $lines = @(social __complete $before.Count @words 2>$null)
    # Where nothing is returned PowerShell offers files; an empty text keeps it from that.
    if ("$($lines | Select-Object -First 1)" -clike 'files*') { return }
    $found = @(foreach ($line in @($lines | Select-Object -Skip 1)) {
            $value, $text = "$line" -split "`t", 2
            if ("$text" -eq '') { $text = $value }
            # 5.1 reads what a program says in the system's code page, too.
            if ($PSVersionTable.PSVersion.Major -lt 6) { $text = $text -replace '[^ -~]+', '?' }
            $kind = if ($value.StartsWith('-') -and -not $value.Contains('=')) { 'ParameterName' } else { 'ParameterValue' }
            if ($value -ne '' -and $value.StartsWith($typed, [System.StringComparison]::Ordinal)) {
                # Without quotes an @ would stand for the values of a variable.
                $word = if ($value.Contains('@')) { "'$value'" } else { $value }
                [System.Management.Automation.CompletionResult]::new($word, $value, $kind, $text)
            }
        })
    if ($found.Count -eq 0) { return '' }
    $found
}
