// The laws of reading scripts, with as many runs as deep tests make.
import '../shell/danger-law.test.ts';
import '../shell/real-bash.test.ts';
