#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| contexture_fuzz::notation("loose_json", data));
