// The functions that both precisions have. No guard: included once for each.
// clang-format off
OF(asum) OF(axpy) OF(copy) OF(dot) OF(nrm2) OF(rot) OF(rotg) OF(rotm) OF(rotmg) OF(scal) OF(swap)
OF(gbmv) OF(gemv) OF(ger) OF(sbmv) OF(spmv) OF(spr) OF(spr2) OF(symv) OF(syr) OF(syr2) OF(tbmv) OF(tbsv) OF(tpmv)
OF(tpsv) OF(trmv) OF(trsv)
OF(gemm) OF(gemmBatched) OF(gemmStridedBatched) OF(symm) OF(syrk) OF(syr2k) OF(syrkx) OF(trmm) OF(trsm)
OF(trsmBatched) OF(geam) OF(dgmm)
