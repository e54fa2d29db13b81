// The functions that both precisions of complex numbers have. No guard: included once for each.
// clang-format off
OF(axpy) OF(copy) OF(swap) OF(dotu) OF(dotc) OF(scal) OF(rot) OF(rotg)
OF(gbmv) OF(gemv) OF(geru) OF(gerc) OF(symv) OF(hemv) OF(hbmv) OF(hpmv) OF(syr) OF(syr2) OF(her) OF(her2) OF(hpr)
OF(hpr2) OF(tbmv) OF(tbsv) OF(tpmv) OF(tpsv) OF(trmv) OF(trsv)
OF(gemm) OF(gemm3m) OF(gemmBatched) OF(gemmStridedBatched) OF(gemvBatched) OF(gemvStridedBatched) OF(symm) OF(hemm)
OF(syrk) OF(syr2k) OF(syrkx) OF(herk) OF(her2k) OF(herkx) OF(trmm) OF(trsm) OF(trsmBatched) OF(geam) OF(dgmm)
OF(tpttr) OF(trttp)
